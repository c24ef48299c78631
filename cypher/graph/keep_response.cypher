// graph/keep_response, store the response of a request beside its idempotency key
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $claim STRING, $status INTEGER, $response STRING
// columns:    none
CYPHER 25 MATCH (k:IdempotencyKey {id: $id, scope: $scope, claim: $claim})
SET k.status = $status, k.response = $response
