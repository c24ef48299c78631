// values/save_run, a clustering run
// mode:       write
// returns:    none
// parameters: $id STRING, $properties MAP
// columns:    none
CYPHER 25 MERGE (n:ClusteringRun {id: $id})
ON CREATE SET n += $properties
