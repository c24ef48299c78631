// values/experience, one experience and what it is about
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    entry, entities
CYPHER 25 MATCH (n:Experience {id: $id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.retracted_at IS NULL
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
