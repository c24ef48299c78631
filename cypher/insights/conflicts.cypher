// insights/conflicts, conflicts between insights that may be shown, newest first; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $topic_key STRING, $resolved BOOLEAN, $before STRING, $limit INTEGER
// columns:    conflict, insight_id, other_id, topic_key
CYPHER 25 MATCH (n:Insight)-[c:CONFLICTS_WITH]->(o:Insight)
WHERE n.scope IN $scopes AND n.quarantined = false AND o.quarantined = false
  AND n.retracted_at IS NULL AND o.retracted_at IS NULL
  AND ($topic_key IS NULL OR n.topic_key = $topic_key)
  AND ($resolved IS NULL OR (c.resolved_at IS NOT NULL) = $resolved) AND ($before IS NULL OR c.id < $before)
RETURN c {.*} AS conflict, n.id AS insight_id, o.id AS other_id, n.topic_key AS topic_key
ORDER BY c.id DESC
LIMIT $limit
