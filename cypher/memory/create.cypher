// memory/create, lock a scope's memories, number new ones, and make them if the clusters that they open find room
// mode:       write
// returns:    one
// parameters: $rows LIST<MAP>, $scope STRING, $scope_token STRING, $opening INTEGER, $most INTEGER, $model STRING,
//             $recorded_at ZONED DATETIME
// columns:    open, clusters
CYPHER 25 MERGE (place:Counter {id: $scope + '/memory'})
ON CREATE SET place.scope = $scope, place.recorded_at = $recorded_at, place.value = 0, place.clusters = 0
SET place.value = place.value + size($rows)
SET place.open = place.clusters + $opening <= $most
MERGE (s:Scope {id: $scope})
ON CREATE SET s.scope = $scope, s.recorded_at = $recorded_at
WITH place, place.value - size($rows) AS before
CALL (place, before) {
  UNWIND CASE WHEN place.open THEN $rows ELSE [] END AS row
  CREATE (:Memory {id: row.id, scope: $scope, scope_token: $scope_token, recorded_at: $recorded_at, version: 1,
    write_key: row.write_key, content: row.content, name: row.name, speaker: row.speaker, timestamp: row.timestamp,
    occurred_at: row.occurred_at, metadata: row.metadata, embedding: toFloatList(row.embedding),
    embedding_model: $model, sequence: before + row.number, last_access_at: $recorded_at, access_count: 0, degree: 1})
}
RETURN place.open AS open, place.clusters AS clusters
