// memory/cluster_members, members of one cluster in the order in which they came, with their vectors
// mode:       read
// returns:    many
// parameters: $cluster_id INTEGER, $scopes LIST<STRING>, $dimension INTEGER, $limit INTEGER
// columns:    id, content, metadata, embedding, prototype, consolidated, created_at, last_access_at, access_count
CYPHER 25 MATCH (m:Memory)-[:MEMBER_OF]->(c:MemoryCluster {cluster_id: $cluster_id})
WHERE c.scope IN $scopes
WITH c, m ORDER BY m.sequence LIMIT $limit
RETURN m.id AS id, m.content AS content, m.metadata AS metadata, vector(m.embedding, $dimension, FLOAT32) AS embedding,
  vector(c.prototype, $dimension, FLOAT32) AS prototype, c.consolidated AS consolidated, c.recorded_at AS created_at,
  c.last_access_at AS last_access_at, c.access_count AS access_count
ORDER BY m.sequence
