// insights/resolve_conflict, settle a conflict that is still open: recorded on both sides
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $resolution STRING, $superseding STRING, $reason STRING,
//             $changes LIST<STRING>, $now ZONED DATETIME
// columns:    version
CYPHER 25 MATCH (n:Insight)-[c:CONFLICTS_WITH {id: $id}]->(o:Insight)
WHERE n.scope = $scope
SET c.locked_at = $now
WITH n, o, c
WHERE c.resolved_at IS NULL
SET c.resolved_at = $now, c.resolution = $resolution, c.version = c.version + 1, n.version = n.version + 1,
    o.version = o.version + 1
WITH n, o, c, CASE $superseding WHEN n.id THEN [n, o] WHEN o.id THEN [o, n] END AS pair
CALL (pair) {
  WITH pair
  WHERE pair IS NOT NULL
  WITH pair[0] AS winner, pair[1] AS loser
  MERGE (winner)-[s:SUPERSEDES]->(loser)
  ON CREATE SET s.scope = $scope, s.recorded_at = $now
}
CALL (n, o) {
  UNWIND [[$changes[0], n, o], [$changes[1], o, n]] AS side
  WITH side[0] AS change_id, side[1] AS marked, side[2] AS against
  CREATE (change:InsightChange {id: change_id, scope: $scope, recorded_at: $now, version: 1, mark: 'conflict_resolved',
                                insight_id: marked.id, before: against.id, after: $resolution})
         -[:CHANGED {scope: $scope, recorded_at: $now}]->(marked)
  SET change.reason = $reason
}
RETURN c.version AS version
