// values/value, one value by its readable id or its node's
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $dimension INTEGER
// columns:    value, embedding, entities
CYPHER 25 CALL () {
  MATCH (n:Value {value_id: $id}) RETURN n
  UNION
  MATCH (n:Value {id: $id}) RETURN n
}
WITH n
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.retracted_at IS NULL AND size(n.embedding) = $dimension
RETURN n {.*, embedding: NULL} AS value, vector(n.embedding, $dimension, FLOAT32) AS embedding, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
