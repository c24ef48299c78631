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

// policy/rollback, the default of before decides again; none: the shipped policy does
// mode:       write
// returns:    maybe
// parameters: $scope STRING
// columns:    id, back_to
CYPHER 25 MATCH (now:Policy {scope: $scope, state: 'active'})
OPTIONAL MATCH (before:Policy {scope: $scope, id: now.replaces})
SET now.state = 'retired'
FOREACH (policy IN CASE WHEN before IS NULL THEN [] ELSE [before] END | SET policy.state = 'active')
RETURN now.id AS id, before.id AS back_to

// policy/list, the policies that have decided or were promoted, by name
// mode:       read
// returns:    many
// parameters: $scope STRING
// columns:    id, state, promoted_at, replaces, metrics, runs
CYPHER 25 MATCH (policy:Policy {scope: $scope})
RETURN policy.id AS id, policy.state AS state, policy.promoted_at AS promoted_at, policy.replaces AS replaces,
  policy.metrics AS metrics, COUNT { (policy)<-[:DECIDED_BY]-(:Run) } AS runs
ORDER BY id
LIMIT 1000

// policy/active, the promoted policy that decides by default; none: the shipped one does
// mode:       read
// returns:    maybe
// parameters: $scope STRING
// columns:    id
CYPHER 25 MATCH (policy:Policy {scope: $scope, state: 'active'})
RETURN policy.id AS id
LIMIT 1
