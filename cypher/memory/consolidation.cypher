// memory/work, scopes with clusters that changed since the last pass, and how many
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    scope, unsettled
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.settled = false AND ($scopes IS NULL OR c.scope IN $scopes)
RETURN c.scope AS scope, count(c) AS unsettled
ORDER BY scope
LIMIT 10000

// memory/unsettled, a page of clusters that changed since the last pass, with the nearest other clusters of the scope;
//                   what was forced to be a cluster of its own is near to none, and where such ones are among the nearest
//                   $wide are looked at
// mode:       read
// returns:    many
// parameters: $scope STRING, $least FLOAT, $nearest INTEGER, $wide INTEGER, $limit INTEGER
// columns:    id, cluster_id, size, consolidated, version, near
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.settled = false AND c.scope = $scope
WITH c ORDER BY c.cluster_id LIMIT $limit
WITH c, c.prototype AS prototype
CALL (c, prototype) {
  WITH c, prototype WHERE NOT coalesce(c.forced, false)
  MATCH (other:MemoryCluster)
  SEARCH other IN (VECTOR INDEX memory_cluster_prototype FOR prototype WHERE other.scope = $scope LIMIT $nearest + 1)
    SCORE AS similarity
  RETURN collect([other, similarity]) AS hits
}
CALL (c, prototype, hits) {
  CALL (prototype, hits) {
    WITH hits WHERE none(hit IN hits WHERE coalesce(hit[0].forced, false))
    UNWIND hits AS hit
    RETURN hit[0] AS other, hit[1] AS similarity
    UNION
    WITH prototype, hits WHERE any(hit IN hits WHERE coalesce(hit[0].forced, false))
    MATCH (other:MemoryCluster)
    SEARCH other IN (VECTOR INDEX memory_cluster_prototype FOR prototype WHERE other.scope = $scope LIMIT $wide)
      SCORE AS similarity
    RETURN other, similarity
  }
  WITH c, other, similarity
  WHERE other.id <> c.id AND similarity > $least AND NOT coalesce(other.forced, false)
  WITH other, similarity ORDER BY similarity DESC, other.cluster_id LIMIT $nearest
  RETURN collect([other.id, other.cluster_id, other.version]) AS near
}
RETURN c.id AS id, c.cluster_id AS cluster_id, c.size AS size, c.consolidated AS consolidated, c.version AS version, near
ORDER BY cluster_id

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

// memory/members, the members of clusters with their vectors, in the order of their ids
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING, $dimension INTEGER
// columns:    cluster, id, embedding
CYPHER 25 UNWIND $ids AS cluster
MATCH (m:Memory)-[:MEMBER_OF]->(c:MemoryCluster {id: cluster})
WHERE c.scope = $scope
RETURN cluster, m.id AS id, vector(m.embedding, $dimension, FLOAT32) AS embedding
ORDER BY cluster, id
LIMIT 1000000

// memory/lock, lock a scope's memories before clusters change, as every writer does
// mode:       write
// returns:    none
// parameters: $scope STRING
// columns:    none
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope
SET place.value = place.value

// memory/consolidate, close clusters with what was computed of their members, where they are as they were read; a row is
//                     {id, version, sum, prototype, representative, cohesion, members: [[memory id, similarity], ...]}
// mode:       write
// returns:    many
// parameters: $rows LIST<MAP>, $scope STRING, $consolidated_at ZONED DATETIME
// columns:    id
CYPHER 25 UNWIND $rows AS row
MATCH (c:MemoryCluster {id: row.id})
WHERE c.scope = $scope AND c.version = row.version
SET c.sum = row.sum, c.prototype = row.prototype, c.representative_id = row.representative, c.cohesion = row.cohesion,
  c.consolidated = true, c.consolidated_at = coalesce(c.consolidated_at, $consolidated_at),
  c.settled = true, c.version = c.version + 1
WITH c, row
CALL (c, row) {
  UNWIND row.members AS member
  MATCH (:Memory {id: member[0]})-[r:MEMBER_OF]->(c)
  SET r.similarity = member[1]
}
RETURN c.id AS id
ORDER BY id

// memory/settle, mark clusters as looked at, where they are as they were read; a row is [id, version]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (c:MemoryCluster {id: row[0]})
WHERE c.scope = $scope AND c.version = row[1]
SET c.settled = true
