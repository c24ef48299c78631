// operations/restore_relationships, relationships of an archive: [type, label and id of the start, label, id and scope of
//                                   the end, properties]. Runs once in a turn. The degree of an entity
//                                   outside is counted anew: forgetting the scope had lowered it
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $uncounted LIST<STRING>, $job_id STRING, $owner STRING,
//             $sequence INTEGER
// columns:    written
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
MATCH (a:$(row[1]) {id: row[2]})
WHERE a.scope = $scope
MATCH (b:$(row[3]) {id: row[4]})
WHERE b.scope = row[5]
CREATE (a)-[r:$(row[0])]->(b)
SET r = row[6]
WITH count(r) AS written, collect(DISTINCT CASE WHEN b.scope <> $scope THEN b END) AS outside
FOREACH (b IN outside | SET b.degree = COUNT { (b)-[x]-() WHERE NOT type(x) IN $uncounted })
RETURN written

// operations/restore_nodes, nodes of an archive ([labels, id, properties]), in its scope alone. Runs once in a turn
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    written
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
CALL (row) {
  OPTIONAL MATCH (known:$(row[0]) {id: row[1]})
  WITH row, known
  WHERE (known IS NULL OR known.scope = $scope) AND row[2].scope = $scope
  MERGE (n:$(row[0]) {id: row[1]})
  SET n = row[2]
  RETURN 1 AS one
}
RETURN count(one) AS written

// operations/meant_entities, entities ([label, id, scope]) outside of an archived scope that are there
// mode:       read
// returns:    many
// parameters: $rows LIST<LIST<STRING>>
// columns:    id, scope
CYPHER 25 UNWIND $rows AS row
MATCH (n:Entity {id: row[1]})
WHERE n.scope = row[2]
RETURN n.id AS id, n.scope AS scope

// operations/taken_ids, nodes of an archive ([label, id]) that are in another scope, or in none
// mode:       read
// returns:    many
// parameters: $rows LIST<LIST<STRING>>, $scope STRING
// columns:    id
CYPHER 25 UNWIND $rows AS row
MATCH (n:$(row[0]) {id: row[1]})
WHERE n.scope IS NULL OR n.scope <> $scope
RETURN n.id AS id
LIMIT 1
