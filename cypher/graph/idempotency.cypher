// graph/claim_key, claim an idempotency key; an expired one, or a claim whose request died, is claimed anew
// mode:       write
// returns:    one
// parameters: $id STRING, $scope STRING, $key STRING, $claim STRING, $request_hash STRING, $now ZONED DATETIME,
//             $claimed_until ZONED DATETIME, $expires_at ZONED DATETIME
// columns:    claim, request_hash, status, response
CYPHER 25 MERGE (k:IdempotencyKey {id: $id, scope: $scope})
ON CREATE SET k.key = $key, k.recorded_at = $now
SET k.touched = coalesce(k.touched, 0) + 1
WITH k, k.claim IS NULL OR k.expires_at <= $now
        OR (k.status IS NULL AND k.claimed_until <= $now AND k.request_hash = $request_hash) AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END |
  SET k.claim = $claim, k.request_hash = $request_hash, k.claimed_until = $claimed_until, k.expires_at = $expires_at,
      k.status = null, k.response = null)
RETURN k.claim AS claim, k.request_hash AS request_hash, k.status AS status, k.response AS response

// graph/keep_response, store the response of a request beside its idempotency key
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $claim STRING, $status INTEGER, $response STRING
// columns:    none
CYPHER 25 MATCH (k:IdempotencyKey {id: $id, scope: $scope, claim: $claim})
SET k.status = $status, k.response = $response

// graph/release_key, free an idempotency key whose request failed, so that it may be sent again
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $claim STRING
// columns:    none
CYPHER 25 MATCH (k:IdempotencyKey {id: $id, scope: $scope, claim: $claim})
WHERE k.status IS NULL
DELETE k

// graph/forget_keys, remove idempotency keys that have expired
// mode:       write
// returns:    one
// parameters: $now ZONED DATETIME, $limit INTEGER
// columns:    forgotten
CYPHER 25 MATCH (k:IdempotencyKey)
WHERE k.expires_at <= $now
WITH k ORDER BY k.expires_at, k.id LIMIT $limit
DELETE k
RETURN count(*) AS forgotten
