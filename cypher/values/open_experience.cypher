// values/open_experience, the experience that is open for a session in a scope
// mode:       read
// returns:    maybe
// parameters: $open_key STRING, $scope STRING
// columns:    entry, entities
CYPHER 25 MATCH (n:Experience {open_key: $open_key})
WHERE n.scope = $scope
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
