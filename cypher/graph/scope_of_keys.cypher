// graph/scope_of_keys, the scope in which the job runs that forgets expired idempotency keys: public, while there are any
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (k:IdempotencyKey)
WITH k LIMIT 1
RETURN 'public' AS scope
