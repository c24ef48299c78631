// values/clusters, the clusters of a run with their members, largest first
// mode:       read
// returns:    many
// parameters: $run_id STRING, $scopes LIST<STRING>, $dimension INTEGER, $limit INTEGER
// columns:    cluster_id, run_id, scope, axis, label, centroid, size, avg_weight, embedding_model, member_ids
CYPHER 25 MATCH (:ClusteringRun {id: $run_id})<-[:OF_RUN]-(n:ValueCluster)
WHERE n.scope IN $scopes AND size(n.centroid) = $dimension
RETURN n.cluster_id AS cluster_id, n.run_id AS run_id, n.scope AS scope, n.axis AS axis, n.label AS label,
  vector(n.centroid, $dimension, FLOAT32) AS centroid, n.size AS size, n.avg_weight AS avg_weight,
  n.embedding_model AS embedding_model,
  COLLECT { MATCH (n)<-[:IN_CLUSTER]-(e:Experience) WHERE e.retracted_at IS NULL RETURN e.id ORDER BY e.id } AS member_ids
ORDER BY size DESC, label
LIMIT $limit
