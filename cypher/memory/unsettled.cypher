// memory/unsettled, a page of clusters that changed since the last pass, with the nearest other clusters of the scope
// mode:       read
// returns:    many
// parameters: $scope STRING, $least FLOAT, $nearest INTEGER, $limit INTEGER
// columns:    id, cluster_id, size, consolidated, version, near
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.settled = false AND c.scope = $scope
WITH c ORDER BY c.cluster_id LIMIT $limit
WITH c, c.prototype AS prototype
CALL (c, prototype) {
  MATCH (other:MemoryCluster)
  SEARCH other IN (VECTOR INDEX memory_cluster_prototype FOR prototype WHERE other.scope = $scope LIMIT $nearest)
    SCORE AS similarity
  WITH c, other, similarity WHERE other.id <> c.id AND similarity > $least
  ORDER BY similarity DESC, other.cluster_id
  RETURN collect([other.id, other.cluster_id, other.version]) AS near
}
RETURN c.id AS id, c.cluster_id AS cluster_id, c.size AS size, c.consolidated AS consolidated, c.version AS version, near
ORDER BY cluster_id
