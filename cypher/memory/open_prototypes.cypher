// memory/open_prototypes, every open cluster of a scope with its prototype, in the order of their numbers
// mode:       read
// returns:    many
// parameters: $scope STRING, $dimension INTEGER, $limit INTEGER
// columns:    id, cluster_id, version, prototype
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope = $scope AND c.consolidated = false
WITH c ORDER BY c.cluster_id LIMIT $limit
RETURN c.id AS id, c.cluster_id AS cluster_id, c.version AS version, vector(c.prototype, $dimension, FLOAT32) AS prototype
ORDER BY cluster_id
