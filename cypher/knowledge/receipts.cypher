// knowledge/receipts, receipts of some kinds, newest first
// mode:       read
// returns:    many
// parameters: $kinds LIST<STRING>, $scopes LIST<STRING>, $after STRING, $limit INTEGER
// columns:    receipt
CYPHER 25 MATCH (r:Receipt)
WHERE r.scope IN $scopes AND r.kind IN $kinds AND ($after IS NULL OR r.id < $after)
RETURN properties(r) AS receipt
ORDER BY r.id DESC
LIMIT $limit
