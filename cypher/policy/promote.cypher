// policy/promote, a checkpoint becomes the default; the default of before is kept for a rollback
// mode:       write
// returns:    one
// parameters: $id STRING, $scope STRING, $sha256 STRING, $metrics STRING, $now ZONED DATETIME
// columns:    id, replaces
CYPHER 25 OPTIONAL MATCH (before:Policy {scope: $scope, state: 'active'})
WHERE before.id <> $id
WITH collect(before) AS retired
FOREACH (policy IN retired | SET policy.state = 'retired')
MERGE (chosen:Policy {id: $id})
ON CREATE SET chosen.scope = $scope, chosen.name = $id, chosen.recorded_at = $now
SET chosen.state = 'active', chosen.sha256 = $sha256, chosen.metrics = $metrics, chosen.promoted_at = $now,
  chosen.replaces = coalesce(head(retired).id, chosen.replaces)
RETURN chosen.id AS id, chosen.replaces AS replaces
