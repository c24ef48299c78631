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
