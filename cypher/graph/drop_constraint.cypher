// graph/drop_constraint, drop a constraint so that it can be made anew
// mode:       schema
// returns:    none
// parameters: $name STRING
// columns:    none
CYPHER 25 DROP CONSTRAINT $name IF EXISTS
