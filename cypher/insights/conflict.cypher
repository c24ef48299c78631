// insights/conflict, one conflict between insights that may be shown
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    conflict, insight_id, other_id, topic_key
CYPHER 25 MATCH (n:Insight)-[c:CONFLICTS_WITH {id: $id}]->(o:Insight)
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.quarantined = false AND o.quarantined = false
RETURN c {.*} AS conflict, n.id AS insight_id, o.id AS other_id, n.topic_key AS topic_key
