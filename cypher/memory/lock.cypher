// memory/lock, lock a scope's memories before clusters change, as every writer does
// mode:       write
// returns:    none
// parameters: $scope STRING
// columns:    none
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope
SET place.value = place.value
