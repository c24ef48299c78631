// knowledge/count_derived, how many nodes were derived from others
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>
// columns:    derived
CYPHER 25 MATCH (x)-[:DERIVED_FROM]->()
WHERE x.scope IN $scopes
RETURN count(DISTINCT x) AS derived
