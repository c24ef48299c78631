// memory/written, what was written under some write keys
// mode:       read
// returns:    many
// parameters: $keys LIST<STRING>, $scope STRING
// columns:    key, id, content, cluster_id, size, similarity, opened, entities
CYPHER 25 UNWIND $keys AS key
MATCH (m:Memory {write_key: key})-[r:MEMBER_OF]->(c:MemoryCluster)
WHERE m.scope = $scope
RETURN key, m.id AS id, m.content AS content, c.cluster_id AS cluster_id, c.size AS size, r.similarity AS similarity,
  NOT EXISTS { (other:Memory)-[:MEMBER_OF]->(c) WHERE other.sequence < m.sequence } AS opened,
  COLLECT { MATCH (m)-[:MENTIONS]->(e:Entity) RETURN e.id AS entity ORDER BY entity } AS entities
ORDER BY key
LIMIT 10000

// memory/create, lock a scope's memories, number new ones, and make them if the clusters that they open find room
// mode:       write
// returns:    one
// parameters: $rows LIST<MAP>, $scope STRING, $scope_token STRING, $opening INTEGER, $most INTEGER, $model STRING,
//             $recorded_at ZONED DATETIME
// columns:    open, clusters
CYPHER 25 MERGE (place:Counter {id: $scope + '/memory'})
ON CREATE SET place.scope = $scope, place.recorded_at = $recorded_at, place.value = 0, place.clusters = 0
SET place.value = place.value + size($rows)
SET place.open = place.clusters + $opening <= $most
MERGE (s:Scope {id: $scope})
ON CREATE SET s.scope = $scope, s.recorded_at = $recorded_at
WITH place, place.value - size($rows) AS before
CALL (place, before) {
  UNWIND CASE WHEN place.open THEN $rows ELSE [] END AS row
  CREATE (:Memory {id: row.id, scope: $scope, scope_token: $scope_token, recorded_at: $recorded_at, version: 1,
    write_key: row.write_key, content: row.content, name: row.name, speaker: row.speaker, timestamp: row.timestamp,
    occurred_at: row.occurred_at, metadata: row.metadata, embedding: toFloatList(row.embedding),
    embedding_model: $model, sequence: before + row.number, last_access_at: $recorded_at, access_count: 0, degree: 1})
}
RETURN place.open AS open, place.clusters AS clusters

// memory/mention, link memories to the entities that they mention, in the order of the entities' ids
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<STRING>>, $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (memory:Memory {id: row[1]}) WHERE memory.scope = $scope
MATCH (entity:Entity {id: row[0]})
CREATE (memory)-[:MENTIONS {scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(entity)
SET entity.degree = coalesce(entity.degree, 0) + 1, memory.degree = memory.degree + 1

// memory/join, let memories join clusters or open them; a cluster that was closed meanwhile gets a sibling. A group is
//              {joins, spare, sum, name, forced, members: [[memory id, similarity], ...]}
// mode:       write
// returns:    many
// parameters: $groups LIST<MAP>, $scope STRING, $recorded_at ZONED DATETIME, $before_first INTEGER
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
  MERGE (numbers:Counter {id: $scope + '/memory_cluster'})
  ON CREATE SET numbers.scope = $scope, numbers.recorded_at = $recorded_at, numbers.value = $before_first
  SET numbers.value = numbers.value + 1, place.clusters = place.clusters + 1
  RETURN numbers.value AS taken
  UNION
  WITH place WHERE NOT fresh
  RETURN 0 AS taken
}
MERGE (cluster:MemoryCluster {id: id})
ON CREATE SET cluster.scope = $scope, cluster.recorded_at = $recorded_at, cluster.cluster_id = taken,
  cluster.name = group.name, cluster.forced = group.forced, cluster.size = 0, cluster.consolidated = false, cluster.degree = 0, cluster.version = 0,
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

// memory/cluster_count, how many clusters a scope holds
// mode:       read
// returns:    maybe
// parameters: $scope STRING
// columns:    clusters
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope
RETURN place.clusters AS clusters

// memory/open_sums, every open cluster of a scope with the sum of its members, in the order of their numbers; a property
//                   may be missing for the moment in which another writer sets it
// mode:       read
// returns:    many
// parameters: $scope STRING, $dimension INTEGER, $limit INTEGER
// columns:    id, sum
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope = $scope AND c.consolidated = false
WITH c ORDER BY c.cluster_id LIMIT $limit
WITH c, vector(c.sum, $dimension, FLOAT32) AS sum WHERE sum IS NOT NULL
RETURN c.id AS id, sum
ORDER BY c.cluster_id

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
WITH c, vector(c.sum, $dimension, FLOAT32) AS sum WHERE sum IS NOT NULL
RETURN c.id AS id, c.size AS size, sum
ORDER BY c.cluster_id
LIMIT 10000
