// ingest/create_triples, relationships that are known to be missing, with degrees and counts kept; runs once in a turn
//                        a row is [head, type, tail, valid_from, valid_until]
// mode:       write
// returns:    many
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $source_id STRING, $recorded_at ZONED DATETIME,
//             $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    name, created
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
MATCH (head:Entity {id: row[0]})
MATCH (tail:Entity {id: row[2]})
CREATE (head)-[:$(row[1]) {scope: $scope, weight: 1.0, valid_from: row[3], valid_until: row[4],
                           recorded_at: $recorded_at, source_id: $source_id}]->(tail)
SET head.degree = head.degree + 1, tail.degree = tail.degree + CASE WHEN head = tail THEN 0 ELSE 1 END
WITH row[1] AS name, count(*) AS created
MATCH (type:RelationshipType {scope: $scope, name: name})
SET type.count = type.count + created
RETURN name, created
ORDER BY name
