// reasoning/expand_hub, walkable edges around nodes with very many relationships: one bounded read for each relationship
//             type and direction. Only a type that stands in the text is expanded alone (a type from a parameter is a
//             filter behind all of them), so `clause.reasoning.relation_text` repeats the marked part for each type
// mode:       read
// returns:    many
// parameters: $nodes LIST<STRING>, $scopes LIST<STRING>, $forward LIST<STRING>, $backward LIST<STRING>,
//             $valid ZONED DATETIME, $recorded ZONED DATETIME, $reach INTEGER, $cap INTEGER
// columns:    id, groups
CYPHER 25 UNWIND $nodes AS id
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: id})
WHERE n.scope IN $scopes
CALL (n) {
  /* each relation, between: UNION ALL */
  MATCH (n)-[r:`RELATION`]->(m) RETURN r, m, true AS forward LIMIT $reach
  UNION ALL
  MATCH (n)<-[r:`RELATION`]-(m) RETURN r, m, false AS forward LIMIT $reach
  /* end */
}
WITH id, m, type(r) AS relation, forward, type(r) IN CASE WHEN forward THEN $forward ELSE $backward END
    AND m.scope IN $scopes
    AND (r.scope IS NULL OR r.scope IN $scopes)
    AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
    AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded)
    AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
    AND (m.recorded_at IS NULL OR m.recorded_at <= $recorded)
    AND (m.retracted_at IS NULL OR m.retracted_at > $recorded)
    AND (m.archived_at IS NULL OR m.archived_at > $recorded)
    AND (m.valid_from IS NULL OR m.valid_from <= $valid) AND (m.valid_until IS NULL OR m.valid_until > $valid) AS visible
WITH id, relation, forward, count(*) AS read,
  collect(DISTINCT CASE WHEN visible THEN m END) AS ends
CALL (ends) {
  UNWIND ends AS m
  WITH m ORDER BY m.id LIMIT $cap
  RETURN collect([m.id, coalesce(m.name, m.title), head(labels(m)), m.degree, coalesce(m.text, m.content), m.basin_strength]) AS kept
}
WITH id, relation, forward, read, kept ORDER BY relation, forward
RETURN id, collect([relation, forward, kept, read]) AS groups
ORDER BY id
LIMIT 10000
