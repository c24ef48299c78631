// graph/kept_response, what the request of an idempotency key was answered
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scope STRING, $now ZONED DATETIME
// columns:    request_hash, status, response
CYPHER 25 MATCH (k:IdempotencyKey {id: $id, scope: $scope})
WHERE k.expires_at > $now
RETURN k.request_hash AS request_hash, k.status AS status, k.response AS response

// graph/claim_key, lock an idempotency key for this transaction; what was answered to it, unless that has expired
// mode:       write
// returns:    one
// parameters: $id STRING, $scope STRING, $key STRING, $now ZONED DATETIME
// columns:    request_hash, status, response
CYPHER 25 MERGE (k:IdempotencyKey {id: $id, scope: $scope})
ON CREATE SET k.key = $key, k.recorded_at = $now
SET k.touched = coalesce(k.touched, 0) + 1
WITH k, coalesce(k.expires_at > $now, false) AS kept
RETURN CASE WHEN kept THEN k.request_hash END AS request_hash, CASE WHEN kept THEN k.status END AS status,
       CASE WHEN kept THEN k.response END AS response

// graph/keep_response, store what a request was answered beside its idempotency key
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $request_hash STRING, $status INTEGER, $response STRING,
//             $expires_at ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (k:IdempotencyKey {id: $id, scope: $scope})
SET k.request_hash = $request_hash, k.status = $status, k.response = $response, k.expires_at = $expires_at

// graph/forget_keys, remove idempotency keys that have expired; each is locked before its end is looked at: it may have been
//                    claimed anew
// mode:       write
// returns:    one
// parameters: $now ZONED DATETIME, $limit INTEGER
// columns:    forgotten
CYPHER 25 MATCH (k:IdempotencyKey)
WHERE k.expires_at <= $now
WITH k ORDER BY k.expires_at, k.id LIMIT $limit
SET k.lock = 1
REMOVE k.lock
WITH k
WHERE k.expires_at <= $now
DELETE k
RETURN count(*) AS forgotten
