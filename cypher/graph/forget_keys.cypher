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
