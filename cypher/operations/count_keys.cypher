// operations/count_keys, how many API keys are in force
// mode:       read
// returns:    one
// parameters: $scope STRING
// columns:    keys
CYPHER 25 MATCH (k:ApiKey {scope: $scope})
WHERE k.revoked_at IS NULL
RETURN count(k) AS keys
