// memory/sizes, how many clusters of each size there are in some scopes, and how many are consolidated or wait
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $threshold INTEGER, $thresholds MAP
// columns:    size, clusters, consolidated, queued
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope IN $scopes
RETURN c.size AS size, count(c) AS clusters, count(CASE WHEN c.consolidated THEN 1 END) AS consolidated,
  count(CASE WHEN NOT c.settled AND c.size > coalesce($thresholds[c.scope], $threshold) THEN 1 END) AS queued
ORDER BY size
LIMIT 100000

// memory/stale, how many memories there are in some scopes, and how many were not recalled since an instant
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>, $since ZONED DATETIME
// columns:    memories, stale
CYPHER 25 MATCH (n:Memory)
WHERE n.scope IN $scopes AND n.sequence >= 0
RETURN count(n) AS memories, count(CASE WHEN n.last_access_at < $since THEN 1 END) AS stale

// memory/vectors, vectors of the memories of some scopes with their cluster and its prototype; the first of each scope
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER, $dimension INTEGER
// columns:    id, cluster_id, embedding, similarity
CYPHER 25 MATCH (m:Memory)
WHERE m.scope IN $scopes
WITH m ORDER BY m.id LIMIT $limit
MATCH (m)-[:MEMBER_OF]->(c:MemoryCluster)
RETURN m.id AS id, c.cluster_id AS cluster_id, vector(m.embedding, $dimension, FLOAT32) AS embedding,
  2 * vector.similarity.cosine(m.embedding, c.prototype) - 1 AS similarity
ORDER BY id
