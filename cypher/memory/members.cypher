// memory/members, the members of clusters with their vectors, in the order of their ids
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING, $dimension INTEGER
// columns:    cluster, id, embedding
CYPHER 25 UNWIND $ids AS cluster
MATCH (m:Memory)-[:MEMBER_OF]->(c:MemoryCluster {id: cluster})
WHERE c.scope = $scope
RETURN cluster, m.id AS id, vector(m.embedding, $dimension, FLOAT32) AS embedding
ORDER BY cluster, id
LIMIT 1000000
