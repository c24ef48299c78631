// memory/delete, take a memory out with its vector; its cluster's mean follows, an empty cluster goes too
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $versions LIST<INTEGER>
// columns:    memory_id, cluster_id, cluster_removed
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope
MATCH (n:Memory {id: $id})-[:MEMBER_OF]->(c:MemoryCluster)
WHERE n.scope = $scope AND ($versions IS NULL OR n.version IN $versions)
WITH place, n, c, c.sum AS before, n.embedding AS gone, c.cluster_id AS number, c.size = 1 AS emptied
WITH place, n, c, number, emptied, [i IN range(0, size(before) - 1) | before[i] - gone[i]] AS total
WITH place, n, c, number, emptied, total, sqrt(reduce(squares = 0.0, x IN total | squares + x * x)) AS length
SET c.sum = total, c.prototype = [x IN total | CASE WHEN length > 0 THEN x / length ELSE x END], c.size = c.size - 1,
  c.degree = c.degree - 1, c.settled = false, c.version = c.version + 1,
  c.representative_id = CASE WHEN c.representative_id = n.id THEN null ELSE c.representative_id END,
  place.clusters = place.clusters - CASE WHEN emptied THEN 1 ELSE 0 END
CALL (n) {
  MATCH (n)-[:MENTIONS]->(e:Entity)
  WITH e ORDER BY e.id
  SET e.degree = e.degree - 1
}
DETACH DELETE n
FOREACH (_ IN CASE WHEN emptied THEN [1] ELSE [] END | DETACH DELETE c)
RETURN $id AS memory_id, number AS cluster_id, emptied AS cluster_removed
