// memory/compare, for pairs of clusters [later, earlier] what the later one opened with (its representative, if it has
//                 one), and the member of the earlier one that is nearest to that
// mode:       read
// returns:    many
// parameters: $pairs LIST<LIST<STRING>>, $scope STRING, $dimension INTEGER
// columns:    later, earlier, content, embedding, other_content, other_embedding
CYPHER 25 UNWIND $pairs AS pair
MATCH (later:MemoryCluster {id: pair[0]}), (earlier:MemoryCluster {id: pair[1]})
WHERE later.scope = $scope AND earlier.scope = $scope
CALL (later) {
  MATCH (m:Memory)-[:MEMBER_OF]->(later)
  RETURN m ORDER BY m.id = later.representative_id DESC, m.sequence LIMIT 1
}
CALL (m, earlier) {
  MATCH (other:Memory)-[:MEMBER_OF]->(earlier)
  RETURN other ORDER BY vector.similarity.cosine(other.embedding, m.embedding) DESC, other.sequence LIMIT 1
}
RETURN later.id AS later, earlier.id AS earlier, m.content AS content,
  vector(m.embedding, $dimension, FLOAT32) AS embedding, other.content AS other_content,
  vector(other.embedding, $dimension, FLOAT32) AS other_embedding
ORDER BY later, earlier
LIMIT 10000
