// values/save_members, which experiences are in which cluster; a row is [cluster, experience, weight]. What has gone
//                      meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $scope STRING, $recorded_at ZONED DATETIME, $rows LIST<LIST<ANY>>
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (cluster:ValueCluster {id: row[0]})
MATCH (member:Experience {id: row[1]})
WHERE cluster.scope = $scope AND member.scope = $scope
MERGE (member)-[in:IN_CLUSTER]->(cluster)
ON CREATE SET in.scope = $scope, in.recorded_at = $recorded_at, in.weight = row[2]
