// memory/reserve, lock a scope's memories, number new ones, and say whether the clusters that they open find room
// mode:       write
// returns:    one
// parameters: $scope STRING, $count INTEGER, $opening INTEGER, $most INTEGER, $recorded_at ZONED DATETIME
// columns:    open, clusters
CYPHER 25 MERGE (place:Counter {id: $scope + '/memory'})
ON CREATE SET place.scope = $scope, place.recorded_at = $recorded_at, place.value = 0, place.clusters = 0
SET place.value = place.value + $count
SET place.open = place.clusters + $opening <= $most
MERGE (s:Scope {id: $scope})
ON CREATE SET s.scope = $scope, s.recorded_at = $recorded_at
RETURN place.open AS open, place.clusters AS clusters
