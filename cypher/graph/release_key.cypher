// graph/release_key, free an idempotency key whose request failed, so that it may be sent again
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $claim STRING
// columns:    none
CYPHER 25 MATCH (k:IdempotencyKey {id: $id, scope: $scope, claim: $claim})
WHERE k.status IS NULL
DELETE k
