// values/experiences, experiences newest first, older than a given id; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $domain STRING, $strategy STRING, $outcome STRING, $session_id STRING,
//             $before STRING, $limit INTEGER
// columns:    entry, entities
CYPHER 25 MATCH (n:Experience)
WHERE n.scope IN $scopes AND n.retracted_at IS NULL AND ($before IS NULL OR n.id < $before)
  AND ($domain IS NULL OR n.domain = $domain) AND ($strategy IS NULL OR n.strategy = $strategy)
  AND ($outcome IS NULL OR n.outcome = $outcome) AND ($session_id IS NULL OR n.session_id = $session_id)
WITH n ORDER BY n.id DESC LIMIT $limit
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
ORDER BY entry.id DESC
