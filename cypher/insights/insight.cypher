// insights/insight, one insight that is not in quarantine
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    insight, conflicts, superseded_by
CYPHER 25 MATCH (n:Insight {id: $id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.quarantined = false AND n.retracted_at IS NULL
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
