// values/save_clusters, the clusters of a run; a row is {id, centroid, properties}
// mode:       write
// returns:    none
// parameters: $run_id STRING, $scope STRING, $recorded_at ZONED DATETIME, $rows LIST<MAP>
// columns:    none
CYPHER 25 MATCH (run:ClusteringRun {id: $run_id})
WHERE run.scope = $scope
UNWIND $rows AS row
MERGE (n:ValueCluster {id: row.id})
ON CREATE SET n += row.properties, n.centroid = toFloatList(row.centroid), n.embedding = toFloatList(row.centroid)
MERGE (n)-[of:OF_RUN]->(run)
ON CREATE SET of.scope = $scope, of.recorded_at = $recorded_at
