// operations/restore_nodes, nodes of an archive ([labels, id, properties]); borrowed ones only where they are missing.
//                           Runs once in a turn
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $borrowed BOOLEAN, $scope STRING, $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    written
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
CALL (row) {
  OPTIONAL MATCH (known:$(row[0]) {id: row[1]})
  WITH row, known
  WHERE known IS NULL OR (NOT $borrowed AND known.scope = $scope)
  MERGE (n:$(row[0]) {id: row[1]})
  SET n = row[2]
  RETURN 1 AS one
}
RETURN count(one) AS written
