// sessions/strongest_patterns, the established patterns of most confidence
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    pattern
CYPHER 25 MATCH (p:Pattern)
WHERE p.scope IN $scopes AND p.status = 'established'
RETURN p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} AS pattern
ORDER BY p.confidence DESC, p.last_seen DESC, p.id
LIMIT $limit
