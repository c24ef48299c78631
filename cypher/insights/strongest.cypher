// insights/strongest, the insights on some topics that are strongest now: strength * min(1, salience / salience then)
//                 a topic is [id, salience now]; those in quarantine are never there
// mode:       read
// returns:    many
// parameters: $topics LIST<LIST<ANY>>, $scopes LIST<STRING>, $since ZONED DATETIME, $conflicting BOOLEAN,
//             $exclude LIST<STRING>, $limit INTEGER
// columns:    insight, salience, conflicts, superseded_by
CYPHER 25 UNWIND $topics AS topic
MATCH (:Topic {id: topic[0]})<-[:ON_TOPIC]-(n:Insight)
WHERE n.scope IN $scopes AND n.quarantined = false AND n.retracted_at IS NULL AND NOT n.id IN $exclude
  AND ($since IS NULL OR n.created_at >= $since)
  AND ($conflicting OR NOT EXISTS {
    MATCH (n)-[c:CONFLICTS_WITH]-(o:Insight)
    WHERE c.resolved_at IS NULL AND o.quarantined = false
  })
WITH n, topic
ORDER BY n.strength * CASE
    WHEN n.original_topic_salience <= 0 OR topic[1] >= n.original_topic_salience THEN 1.0
    ELSE topic[1] / n.original_topic_salience
  END DESC, n.created_at DESC, n.id DESC
LIMIT $limit
RETURN n {.*, embedding: NULL} AS insight, topic[1] AS salience,
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
