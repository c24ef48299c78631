// graph/drop_index, drop an index so that it can be built anew
// mode:       schema
// returns:    none
// parameters: $name STRING
// columns:    none
CYPHER 25 DROP INDEX $name IF EXISTS
