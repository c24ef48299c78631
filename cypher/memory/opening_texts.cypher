// memory/opening_texts, what stands for clusters when two are compared: the representative, else the first member
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING, $dimension INTEGER
// columns:    id, content, embedding
CYPHER 25 UNWIND $ids AS id
MATCH (c:MemoryCluster {id: id})
WHERE c.scope = $scope
CALL (c) {
  MATCH (m:Memory)-[:MEMBER_OF]->(c)
  RETURN m ORDER BY m.id = c.representative_id DESC, m.sequence LIMIT 1
}
RETURN id, m.content AS content, vector(m.embedding, $dimension, FLOAT32) AS embedding
ORDER BY id
LIMIT 10000
