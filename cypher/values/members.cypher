// values/members, members of a cluster in the order of their ids, with the vector on the cluster's axis
// mode:       read
// returns:    many
// parameters: $cluster_id STRING, $scope STRING, $property STRING, $dimension INTEGER, $after STRING, $limit INTEGER
// columns:    id, embedding, weight, entry, entities
CYPHER 25 MATCH (:ValueCluster {cluster_id: $cluster_id})<-[in:IN_CLUSTER]-(n:Experience)
WHERE n.scope = $scope AND n.id > $after AND n.retracted_at IS NULL AND size(n[$property]) = $dimension
WITH n, in ORDER BY n.id LIMIT $limit
RETURN n.id AS id, vector(n[$property], $dimension, FLOAT32) AS embedding, in.weight AS weight,
  n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
ORDER BY id
