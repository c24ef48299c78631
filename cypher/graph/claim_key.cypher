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
