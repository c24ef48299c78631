// insights/by_category, insights of a category, newest first
// mode:       read
// returns:    many
// parameters: $category STRING, $scopes LIST<STRING>, $since ZONED DATETIME, $before STRING, $limit INTEGER
// columns:    insight, conflicts, superseded_by
CYPHER 25 MATCH (n:Insight {category: $category})
WHERE n.scope IN $scopes AND n.quarantined = false AND n.retracted_at IS NULL
  AND ($since IS NULL OR n.created_at >= $since) AND ($before IS NULL OR n.id < $before)
WITH n ORDER BY n.created_at DESC, n.id DESC LIMIT $limit
RETURN n {.*, embedding: NULL} AS insight,
  COLLECT {
    MATCH (n)-[c:CONFLICTS_WITH]-(o:Insight)
    WHERE o.quarantined = false
    RETURN [o.id, c.resolved_at IS NOT NULL] ORDER BY o.id
  } AS conflicts,
  COLLECT {
    MATCH (n)<-[:SUPERSEDES]-(o:Insight)
    WHERE o.quarantined = false
    RETURN o.id ORDER BY o.id
  } AS superseded_by
