// memory/open_prototypes, every open cluster of a scope with its prototype, in the order of their numbers
// mode:       read
// returns:    many
// parameters: $scope STRING, $dimension INTEGER, $limit INTEGER
// columns:    id, cluster_id, version, prototype
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope = $scope AND c.consolidated = false
WITH c ORDER BY c.cluster_id LIMIT $limit
WITH c, vector(c.prototype, $dimension, FLOAT32) AS prototype WHERE prototype IS NOT NULL
RETURN c.id AS id, c.cluster_id AS cluster_id, c.version AS version, prototype
ORDER BY cluster_id

// memory/merge_clusters, move the members of one cluster into another, where both are as they were read; a pair is
//                        [kept id, its version, id that goes, its version]
// mode:       write
// returns:    many
// parameters: $pairs LIST<LIST<ANY>>, $scope STRING
// columns:    kept
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope
UNWIND $pairs AS pair
MATCH (kept:MemoryCluster {id: pair[0]}), (gone:MemoryCluster {id: pair[2]})
WHERE kept.scope = $scope AND gone.scope = $scope AND kept.version = pair[1] AND gone.version = pair[3]
WITH place, kept, gone, kept.sum AS first, gone.sum AS second
WITH place, kept, gone, [i IN range(0, size(first) - 1) | first[i] + second[i]] AS total
WITH place, kept, gone, total, sqrt(reduce(squares = 0.0, x IN total | squares + x * x)) AS length
SET kept.sum = total, kept.prototype = [x IN total | CASE WHEN length > 0 THEN x / length ELSE x END],
  kept.size = kept.size + gone.size, kept.degree = kept.degree + gone.size,
  kept.consolidated = kept.consolidated OR gone.consolidated, kept.settled = false, kept.version = kept.version + 1,
  kept.access_count = kept.access_count + gone.access_count,
  kept.last_access_at = CASE WHEN gone.last_access_at > kept.last_access_at THEN gone.last_access_at
                             ELSE kept.last_access_at END,
  place.clusters = place.clusters - 1
WITH kept, gone
CALL (kept, gone) {
  MATCH (m:Memory)-[before:MEMBER_OF]->(gone)
  CREATE (m)-[:MEMBER_OF {scope: $scope, recorded_at: before.recorded_at, weight: 1.0,
    similarity: 2 * vector.similarity.cosine(m.embedding, kept.prototype) - 1}]->(kept)
  SET m.cluster_id = kept.cluster_id
}
WITH kept, gone, kept.id AS kept_id
DETACH DELETE gone
RETURN kept_id AS kept
ORDER BY kept
