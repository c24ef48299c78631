// values/values, values newest first, older than a given number; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $axis STRING, $before INTEGER, $dimension INTEGER, $limit INTEGER
// columns:    value, embedding, entities
CYPHER 25 MATCH (n:Value)
WHERE n.scope IN $scopes AND n.retracted_at IS NULL AND size(n.embedding) = $dimension
  AND ($axis IS NULL OR n.axis = $axis) AND ($before IS NULL OR n.value_number < $before)
WITH n ORDER BY n.value_number DESC LIMIT $limit
RETURN n {.*, embedding: NULL} AS value, vector(n.embedding, $dimension, FLOAT32) AS embedding, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
ORDER BY value.value_number DESC
