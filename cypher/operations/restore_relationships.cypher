// operations/restore_relationships, relationships of an archive: [type, label and id of the start, label and id of the
//                                   end, properties]. Runs once in a turn
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    written
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
MATCH (a:$(row[1]) {id: row[2]})
WHERE a.scope = $scope
MATCH (b:$(row[3]) {id: row[4]})
CREATE (a)-[r:$(row[0])]->(b)
SET r = row[5]
RETURN count(r) AS written
