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
