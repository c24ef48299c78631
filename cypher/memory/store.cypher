// memory/touch, count recalls of memories and of their clusters, in one order for all writers; a row is [id, times]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scopes LIST<STRING>, $at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (n:Memory {id: row[0]})-[:MEMBER_OF]->(c:MemoryCluster)
WHERE n.scope IN $scopes
SET n.access_count = n.access_count + row[1],
  n.last_access_at = CASE WHEN n.last_access_at < $at THEN $at ELSE n.last_access_at END
WITH c, sum(row[1]) AS times
ORDER BY c.id
SET c.access_count = c.access_count + times,
  c.last_access_at = CASE WHEN c.last_access_at < $at THEN $at ELSE c.last_access_at END

// memory/get, one memory with the names of what it mentions
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    memory_id, content, metadata, scope, cluster_id, is_representative, speaker, timestamp, recorded_at,
//             last_access_at, access_count, entities, version
CYPHER 25 MATCH (n:Memory {id: $id})-[:MEMBER_OF]->(c:MemoryCluster)
WHERE n.scope IN $scopes
RETURN n.id AS memory_id, n.content AS content, n.metadata AS metadata, n.scope AS scope, c.cluster_id AS cluster_id,
  coalesce(c.representative_id = n.id, c.size = 1) AS is_representative, n.speaker AS speaker,
  n.timestamp AS timestamp, n.recorded_at AS recorded_at, n.last_access_at AS last_access_at,
  n.access_count AS access_count, n.version AS version,
  COLLECT { MATCH (n)-[:MENTIONS]->(e:Entity) WHERE e.scope IN $scopes RETURN e.name AS name ORDER BY name } AS entities

// memory/list, memories of some scopes, newest first, older than one id
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $before STRING, $limit INTEGER
// columns:    memory_id, content, metadata, scope, cluster_id, is_representative, speaker, timestamp, recorded_at,
//             last_access_at, access_count, entities, version
CYPHER 25 MATCH (n:Memory)
WHERE n.scope IN $scopes AND ($before IS NULL OR n.id < $before)
WITH n ORDER BY n.id DESC LIMIT $limit
MATCH (n)-[:MEMBER_OF]->(c:MemoryCluster)
RETURN n.id AS memory_id, n.content AS content, n.metadata AS metadata, n.scope AS scope, c.cluster_id AS cluster_id,
  coalesce(c.representative_id = n.id, c.size = 1) AS is_representative, n.speaker AS speaker,
  n.timestamp AS timestamp, n.recorded_at AS recorded_at, n.last_access_at AS last_access_at,
  n.access_count AS access_count, n.version AS version,
  COLLECT { MATCH (n)-[:MENTIONS]->(e:Entity) WHERE e.scope IN $scopes RETURN e.name AS name ORDER BY name } AS entities
ORDER BY memory_id DESC

// memory/delete, take a memory out with its vector; its cluster's mean follows, an empty cluster goes too
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $versions LIST<INTEGER>
// columns:    memory_id, cluster_id, cluster_removed
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope
SET place.value = place.value  // a lock: what is read next is what other writers left
WITH place
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

// memory/clusters, clusters of some scopes, the newest first, older than one number
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $before INTEGER, $limit INTEGER, $threshold INTEGER,
//             $thresholds MAP
// columns:    cluster_id, scope, size, consolidated, queued, representative_id, representative_content, compression,
//             cohesion, created_at, last_access_at, access_count, version
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope IN $scopes AND ($before IS NULL OR c.cluster_id < $before)
WITH c ORDER BY c.cluster_id DESC LIMIT $limit
OPTIONAL MATCH (r:Memory {id: c.representative_id})
RETURN c.cluster_id AS cluster_id, c.scope AS scope, c.size AS size, c.consolidated AS consolidated,
  NOT c.settled AND c.size > coalesce($thresholds[c.scope], $threshold) AS queued, c.representative_id AS representative_id,
  r.content AS representative_content, CASE WHEN c.consolidated THEN toFloat(c.size) ELSE 1.0 END AS compression,
  c.cohesion AS cohesion, c.recorded_at AS created_at, c.last_access_at AS last_access_at,
  c.access_count AS access_count, c.version AS version
ORDER BY cluster_id DESC

// memory/cluster, one cluster by its number
// mode:       read
// returns:    maybe
// parameters: $cluster_id INTEGER, $scopes LIST<STRING>, $threshold INTEGER, $thresholds MAP
// columns:    cluster_id, scope, size, consolidated, queued, representative_id, representative_content, compression,
//             cohesion, created_at, last_access_at, access_count, version
CYPHER 25 MATCH (c:MemoryCluster {cluster_id: $cluster_id})
WHERE c.scope IN $scopes
OPTIONAL MATCH (r:Memory {id: c.representative_id})
RETURN c.cluster_id AS cluster_id, c.scope AS scope, c.size AS size, c.consolidated AS consolidated,
  NOT c.settled AND c.size > coalesce($thresholds[c.scope], $threshold) AS queued, c.representative_id AS representative_id,
  r.content AS representative_content, CASE WHEN c.consolidated THEN toFloat(c.size) ELSE 1.0 END AS compression,
  c.cohesion AS cohesion, c.recorded_at AS created_at, c.last_access_at AS last_access_at,
  c.access_count AS access_count, c.version AS version

// memory/cluster_members, members of one cluster in the order in which they came, with their vectors
// mode:       read
// returns:    many
// parameters: $cluster_id INTEGER, $scopes LIST<STRING>, $dimension INTEGER, $limit INTEGER
// columns:    id, content, metadata, embedding, prototype, consolidated, created_at, last_access_at, access_count
CYPHER 25 MATCH (m:Memory)-[:MEMBER_OF]->(c:MemoryCluster {cluster_id: $cluster_id})
WHERE c.scope IN $scopes
WITH c, m ORDER BY m.sequence LIMIT $limit
RETURN m.id AS id, m.content AS content, m.metadata AS metadata, vector(m.embedding, $dimension, FLOAT32) AS embedding,
  vector(c.prototype, $dimension, FLOAT32) AS prototype, c.consolidated AS consolidated, c.recorded_at AS created_at,
  c.last_access_at AS last_access_at, c.access_count AS access_count
ORDER BY m.sequence
