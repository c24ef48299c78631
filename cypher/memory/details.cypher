// memory/details, memories in full
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $dimension INTEGER
// columns:    id, name, content, metadata, scope, cluster_id, is_representative, speaker, timestamp, recorded_at,
//             last_access_at, embedding
CYPHER 25 UNWIND $ids AS id
MATCH (n:Memory {id: id})-[:MEMBER_OF]->(c:MemoryCluster)
WHERE n.scope IN $scopes
RETURN id, n.name AS name, n.content AS content, n.metadata AS metadata, n.scope AS scope, c.cluster_id AS cluster_id,
  coalesce(c.representative_id = n.id, c.size = 1) AS is_representative, n.speaker AS speaker,
  n.timestamp AS timestamp, n.recorded_at AS recorded_at, n.last_access_at AS last_access_at,
  vector(n.embedding, $dimension, FLOAT32) AS embedding
ORDER BY id
LIMIT 10000
