// memory/sizes, how many clusters of each size there are in some scopes, and how many are consolidated or wait
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $threshold INTEGER
// columns:    size, clusters, consolidated, queued
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope IN $scopes
RETURN c.size AS size, count(c) AS clusters, count(CASE WHEN c.consolidated THEN 1 END) AS consolidated,
  count(CASE WHEN NOT c.settled AND c.size > $threshold THEN 1 END) AS queued
ORDER BY size
LIMIT 100000
