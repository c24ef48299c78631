// knowledge/known_nodes, which of some ids are nodes in these scopes; a source comes with what tells its statements apart
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $source_id STRING, $scopes LIST<STRING>
// columns:    id, source
CYPHER 25 CALL () {
  UNWIND $ids AS id
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: id})
  WHERE n.scope IN $scopes
  RETURN DISTINCT id, NULL AS source
  UNION
  MATCH (s:Source {id: $source_id})
  WHERE s.scope IN $scopes AND s.retracted_at IS NULL
  RETURN s.id AS id, s {.id, .kind, .title, .uri, .upstream} AS source
}
RETURN id, source
ORDER BY id
LIMIT 1000
