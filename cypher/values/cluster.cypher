// values/cluster, one cluster with its members
// mode:       read
// returns:    maybe
// parameters: $cluster_id STRING, $scopes LIST<STRING>, $dimension INTEGER
// columns:    cluster_id, run_id, scope, axis, label, centroid, size, avg_weight, embedding_model, member_ids
CYPHER 25 MATCH (n:ValueCluster {cluster_id: $cluster_id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND size(n.centroid) = $dimension
RETURN n.cluster_id AS cluster_id, n.run_id AS run_id, n.scope AS scope, n.axis AS axis, n.label AS label,
  vector(n.centroid, $dimension, FLOAT32) AS centroid, n.size AS size, n.avg_weight AS avg_weight,
  n.embedding_model AS embedding_model,
  COLLECT { MATCH (n)<-[:IN_CLUSTER]-(e:Experience) WHERE e.retracted_at IS NULL RETURN e.id ORDER BY e.id } AS member_ids
