// memory/create, new memories at their places in the scope; none where memory/reserve found no room
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scope STRING, $scope_token STRING, $count INTEGER, $model STRING,
//             $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope AND place.open
UNWIND $rows AS row
CREATE (:Memory {id: row.id, scope: $scope, scope_token: $scope_token, recorded_at: $recorded_at, version: 1,
  write_key: row.write_key, content: row.content, name: row.name, speaker: row.speaker, timestamp: row.timestamp,
  occurred_at: row.occurred_at, metadata: row.metadata, embedding: toFloatList(row.embedding), embedding_model: $model,
  sequence: place.value - $count + row.number, last_access_at: $recorded_at, access_count: 0, degree: 1})
