// graph/scope_of_keys, the scope in which the job runs that forgets expired idempotency keys: public, while there are any
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (k:IdempotencyKey)
WITH k LIMIT 1
RETURN 'public' AS scope

// knowledge/scopes_of_bare_evidence, scopes with evidence that has no vector yet: what answers cited
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS { MATCH (n:Evidence) WHERE n.scope = s.id AND n.embedding IS NULL }
RETURN s.id AS scope
ORDER BY scope
