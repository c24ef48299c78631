// insights/quarantine, put an insight into quarantine or let it out; the change is recorded where it is one
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $versions LIST<INTEGER>, $quarantined BOOLEAN, $reason STRING,
//             $change_id STRING, $now ZONED DATETIME
// columns:    version, accepted
CYPHER 25 MATCH (n:Insight {id: $id})
WHERE n.scope = $scope
SET n.locked_at = $now
WITH n, ($versions IS NULL OR n.version IN $versions) AS accepted
CALL (n, accepted) {
  WITH n
  WHERE accepted AND n.quarantined <> $quarantined
  CREATE (change:InsightChange {id: $change_id, scope: $scope, recorded_at: $now, version: 1, mark: 'quarantined',
                                insight_id: n.id, before: toString(n.quarantined), after: toString($quarantined)})
  SET change.reason = $reason, n.quarantined = $quarantined, n.version = n.version + 1
  CREATE (change)-[:CHANGED {scope: $scope, recorded_at: $now}]->(n)
}
RETURN n.version AS version, accepted
