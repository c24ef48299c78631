// insights/unresolved, topics whose conflicts ask for a synthesis: many of them, or an old one
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $topic_key STRING, $many INTEGER, $old ZONED DATETIME, $limit INTEGER
// columns:    topic_key, scope, insight_ids, unresolved, oldest
CYPHER 25 MATCH (n:Insight)-[c:CONFLICTS_WITH]->(o:Insight)
WHERE n.scope IN $scopes AND c.resolved_at IS NULL AND n.quarantined = false AND o.quarantined = false
  AND n.retracted_at IS NULL AND o.retracted_at IS NULL AND ($topic_key IS NULL OR n.topic_key = $topic_key)
WITH n.topic_key AS topic_key, n.scope AS scope, count(c) AS unresolved, min(c.recorded_at) AS oldest,
  collect(n.id) + collect(o.id) AS ids
WHERE unresolved >= $many OR oldest <= $old
UNWIND ids AS id
WITH DISTINCT topic_key, scope, unresolved, oldest, id
ORDER BY id
WITH topic_key, scope, unresolved, oldest, collect(id) AS insight_ids
RETURN topic_key, scope, insight_ids, unresolved, oldest
ORDER BY oldest, scope, topic_key
LIMIT $limit
