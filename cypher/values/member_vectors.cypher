// values/member_vectors, the vectors of a cluster's members on its axis, in the order of their ids
// mode:       read
// returns:    many
// parameters: $cluster_id STRING, $scope STRING, $property STRING, $dimension INTEGER, $after STRING, $limit INTEGER
// columns:    id, embedding
CYPHER 25 MATCH (:ValueCluster {cluster_id: $cluster_id})<-[:IN_CLUSTER]-(n:Experience)
WHERE n.scope = $scope AND n.id > $after AND n.retracted_at IS NULL AND size(n[$property]) = $dimension
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id, vector(n[$property], $dimension, FLOAT32) AS embedding
ORDER BY id
