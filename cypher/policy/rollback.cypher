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
