// sessions/patterns, patterns newest first; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $ids LIST<STRING>, $type STRING, $status STRING, $after STRING, $limit INTEGER
// columns:    pattern
CYPHER 25 MATCH (p:Pattern)
WHERE p.scope IN $scopes AND ($ids IS NULL OR p.id IN $ids) AND ($type IS NULL OR p.type = $type)
  AND ($status IS NULL OR p.status = $status) AND ($after IS NULL OR p.id < $after)
RETURN p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} AS pattern
ORDER BY p.id DESC
LIMIT $limit
