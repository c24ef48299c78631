// memory/cluster_count, how many clusters a scope holds
// mode:       read
// returns:    maybe
// parameters: $scope STRING
// columns:    clusters
CYPHER 25 MATCH (place:Counter {id: $scope + '/memory'})
WHERE place.scope = $scope
RETURN place.clusters AS clusters
