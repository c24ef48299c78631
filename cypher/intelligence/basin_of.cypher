// intelligence/basin_of, the id of a basin by its own id, or by its entity's id
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    id
CYPHER 25 CALL () {
  MATCH (b:AttractorBasin {id: $id})
  RETURN b
  UNION
  MATCH (:Entity {id: $id})-[:HAS_BASIN]->(b:AttractorBasin)
  RETURN b
}
WITH b
WHERE b.scope IN $scopes
RETURN b.id AS id
ORDER BY id
LIMIT 1
