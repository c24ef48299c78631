// memory/open_sums, every open cluster of a scope with the sum of its members, in the order of their numbers
// mode:       read
// returns:    many
// parameters: $scope STRING, $dimension INTEGER, $limit INTEGER
// columns:    id, sum
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope = $scope AND c.consolidated = false
WITH c ORDER BY c.cluster_id LIMIT $limit
RETURN c.id AS id, vector(c.sum, $dimension, FLOAT32) AS sum
ORDER BY c.cluster_id
