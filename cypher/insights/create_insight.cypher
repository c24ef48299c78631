// insights/create_insight, an insight on the topic that was claimed for it
// mode:       write
// returns:    none
// parameters: $id STRING, $topic_id STRING, $scope STRING, $claim STRING, $recorded_at ZONED DATETIME, $properties MAP,
//             $embedding VECTOR, $model STRING, $supersedes LIST<STRING>, $sources LIST<STRING>
// columns:    none
CYPHER 25 MATCH (t:Topic {id: $topic_id})
WHERE t.scope = $scope AND t.claim = $claim
MERGE (n:Insight {id: $id})
ON CREATE SET n += $properties, n.embedding = toFloatList($embedding), n.embedding_model = $model
MERGE (n)-[on:ON_TOPIC]->(t)
ON CREATE SET on.scope = $scope, on.recorded_at = $recorded_at
WITH n
CALL (n) {
  UNWIND $supersedes AS id
  MATCH (old:Insight {id: id})
  WHERE old.scope = $scope
  MERGE (n)-[r:SUPERSEDES]->(old)
  ON CREATE SET r.scope = $scope, r.recorded_at = $recorded_at
}
CALL (n) {
  UNWIND $sources AS id
  MATCH (source:Insight {id: id})
  WHERE source.scope = $scope
  MERGE (n)-[r:DERIVED_FROM]->(source)
  ON CREATE SET r.scope = $scope, r.recorded_at = $recorded_at, r.weight = 1.0
}
