// intelligence/conflicts, write conflicts, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    conflict
CYPHER 25 MATCH (c:WriteConflict)
WHERE c.scope IN $scopes
RETURN c {.id, .scope, .kind, .resolution, .agent, .subject, .detail, .attempts, .recorded_at} AS conflict
ORDER BY c.id DESC
LIMIT $limit
