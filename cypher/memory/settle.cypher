// memory/settle, mark clusters as looked at, where they are as they were read; a row is [id, version]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (c:MemoryCluster {id: row[0]})
WHERE c.scope = $scope AND c.version = row[1]
SET c.settled = true
