// policy/active, the promoted policy that decides by default; none: the shipped one does
// mode:       read
// returns:    maybe
// parameters: $scope STRING
// columns:    id
CYPHER 25 MATCH (policy:Policy {scope: $scope, state: 'active'})
RETURN policy.id AS id
LIMIT 1
