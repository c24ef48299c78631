// memory/nearest_open, for each vector the nearest open clusters of a scope, as (1 + cosine) / 2
// mode:       read
// returns:    many
// parameters: $vectors LIST<VECTOR>, $scope STRING, $least FLOAT, $limit INTEGER, $dimension INTEGER
// columns:    id, size, sum
CYPHER 25 UNWIND range(0, size($vectors) - 1) AS number
WITH number, $vectors[number] AS embedding
CALL (embedding) {
  MATCH (c:MemoryCluster)
  SEARCH c IN (VECTOR INDEX memory_cluster_prototype FOR embedding
    WHERE c.scope = $scope AND c.consolidated = false LIMIT $limit) SCORE AS similarity
  WITH c, similarity WHERE similarity >= $least
  RETURN c
}
WITH DISTINCT c
RETURN c.id AS id, c.size AS size, vector(c.sum, $dimension, FLOAT32) AS sum
ORDER BY c.cluster_id
LIMIT 10000
