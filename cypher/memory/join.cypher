// memory/join, let memories join clusters or open them; a cluster that was closed meanwhile gets a sibling. A group is
//              {joins, spare, sum, name, members: [[memory id, similarity], ...]}
// mode:       write
// returns:    many
// parameters: $groups LIST<MAP>, $scope STRING, $recorded_at ZONED DATETIME
// columns:    number, cluster_id, fresh, size
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope AND place.open
UNWIND range(0, size($groups) - 1) AS number
WITH place, number, $groups[number] AS group
OPTIONAL MATCH (found:MemoryCluster {id: group.joins})
WHERE found.scope = $scope AND NOT found.consolidated
WITH place, number, group, found IS NULL AS fresh, coalesce(found.id, group.spare) AS id
CALL (fresh, place) {
  WITH place WHERE fresh
  MERGE (numbers:Counter {id: 'public/memory_cluster'})
  ON CREATE SET numbers.scope = 'public', numbers.recorded_at = $recorded_at, numbers.value = 0
  SET numbers.value = numbers.value + 1, place.clusters = place.clusters + 1
  RETURN numbers.value AS taken
  UNION
  WITH place WHERE NOT fresh
  RETURN 0 AS taken
}
MERGE (cluster:MemoryCluster {id: id})
ON CREATE SET cluster.scope = $scope, cluster.recorded_at = $recorded_at, cluster.cluster_id = taken,
  cluster.name = group.name, cluster.size = 0, cluster.consolidated = false, cluster.degree = 0, cluster.version = 0,
  cluster.last_access_at = $recorded_at, cluster.access_count = 0
WITH number, group, fresh, cluster, size(group.members) AS joining,
  toFloatList(group.sum) AS added, cluster.sum AS before
WITH number, group, fresh, cluster, joining,
  CASE WHEN fresh THEN added ELSE [i IN range(0, size(added) - 1) | before[i] + added[i]] END AS total
WITH number, group, fresh, cluster, joining, total, sqrt(reduce(squares = 0.0, x IN total | squares + x * x)) AS length
SET cluster.sum = total, cluster.prototype = [x IN total | CASE WHEN length > 0 THEN x / length ELSE x END],
  cluster.size = cluster.size + joining, cluster.degree = cluster.degree + joining, cluster.settled = false,
  cluster.version = cluster.version + 1
WITH number, group, fresh, cluster
CALL (group, cluster) {
  UNWIND group.members AS member
  MATCH (memory:Memory {id: member[0]})
  SET memory.cluster_id = cluster.cluster_id
  CREATE (memory)-[:MEMBER_OF {scope: $scope, recorded_at: $recorded_at, weight: 1.0, similarity: member[1]}]->(cluster)
}
RETURN number, cluster.cluster_id AS cluster_id, fresh, cluster.size AS size
ORDER BY number
