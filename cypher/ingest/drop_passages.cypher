// ingest/drop_passages, take documents' passages out, before they are made anew with other content; degrees are kept
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $scope STRING, $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    none
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $ids AS id
MATCH (document:Document {id: id})-[:HAS_PASSAGE]->(passage:Passage)
WHERE document.scope = $scope
CALL (passage) {
  MATCH (passage)-[:MENTIONS]->(entity:Entity)
  SET entity.degree = entity.degree - 1
}
DETACH DELETE passage
