// memory/stale, how many memories there are in some scopes, and how many were not recalled since an instant
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>, $since ZONED DATETIME
// columns:    memories, stale
CYPHER 25 MATCH (n:Memory)
WHERE n.scope IN $scopes
RETURN count(n) AS memories, count(CASE WHEN n.last_access_at < $since THEN 1 END) AS stale
