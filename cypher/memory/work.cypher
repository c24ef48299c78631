// memory/work, scopes with clusters that changed since the last pass, and how many
// mode:       read
// returns:    many
// parameters: $threshold INTEGER, $scopes LIST<STRING>
// columns:    scope, unsettled, queued
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.settled = false AND ($scopes IS NULL OR c.scope IN $scopes)
RETURN c.scope AS scope, count(c) AS unsettled,
  count(CASE WHEN c.size > $threshold AND NOT c.consolidated THEN 1 END) AS queued
ORDER BY scope
LIMIT 10000
