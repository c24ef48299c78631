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

// insights/conflict, one conflict between insights that may be shown
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    conflict, insight_id, other_id, topic_key
CYPHER 25 MATCH (n:Insight)-[c:CONFLICTS_WITH {id: $id}]->(o:Insight)
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.quarantined = false AND o.quarantined = false
RETURN c {.*} AS conflict, n.id AS insight_id, o.id AS other_id, n.topic_key AS topic_key

// insights/resolve_conflict, settle a conflict that is still open: recorded on both sides
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $resolution STRING, $superseding STRING, $synthesis STRING, $reason STRING,
//             $changes LIST<STRING>, $now ZONED DATETIME
// columns:    version
CYPHER 25 MATCH (n:Insight)-[c:CONFLICTS_WITH {id: $id}]->(o:Insight)
WHERE n.scope = $scope
SET c.locked_at = $now
WITH n, o, c, c.resolved_at IS NULL AS unsettled
WHERE unsettled OR EXISTS { (:InsightChange {id: $changes[0]}) } // a second run of the same does nothing more
CALL (n, o, c, unsettled) {
  WITH n, o, c
  WHERE unsettled
  SET c.resolved_at = $now, c.resolution = $resolution, c.synthesis_id = $synthesis, c.version = c.version + 1,
      n.version = n.version + 1, o.version = o.version + 1
  WITH n, o, CASE $superseding WHEN n.id THEN [n, o] WHEN o.id THEN [o, n] END AS pair
  CALL (pair) {
    WITH pair
    WHERE pair IS NOT NULL
    WITH pair[0] AS winner, pair[1] AS loser
    MERGE (winner)-[s:SUPERSEDES]->(loser)
    ON CREATE SET s.scope = $scope, s.recorded_at = $now
  }
  UNWIND [[$changes[0], n, o], [$changes[1], o, n]] AS side
  WITH side[0] AS change_id, side[1] AS marked, side[2] AS against
  CREATE (change:InsightChange {id: change_id, scope: $scope, recorded_at: $now, version: 1, mark: 'conflict_resolved',
                                insight_id: marked.id, before: against.id, after: $resolution})
         -[:CHANGED {scope: $scope, recorded_at: $now}]->(marked)
  SET change.reason = $reason, change.synthesis_id = $synthesis
}
RETURN c.version AS version

// insights/unresolved, topics whose conflicts ask for a synthesis: many of them, or an old one
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $topic_key STRING, $many INTEGER, $old ZONED DATETIME, $limit INTEGER
// columns:    topic_key, scope, insight_ids, unresolved, oldest
CYPHER 25 MATCH (n:Insight)-[c:CONFLICTS_WITH]->(o:Insight)
WHERE n.scope IN $scopes AND c.resolved_at IS NULL AND n.quarantined = false AND o.quarantined = false
  AND n.retracted_at IS NULL AND o.retracted_at IS NULL AND ($topic_key IS NULL OR n.topic_key = $topic_key)
  AND NOT EXISTS { (n)<-[:SUPERSEDES]-(later:Insight) WHERE later.quarantined = false }
  AND NOT EXISTS { (o)<-[:SUPERSEDES]-(later:Insight) WHERE later.quarantined = false }
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
