// intelligence/known_ids, which of some strings are ids of entities of a scope
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING
// columns:    id
CYPHER 25 UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE n.scope = $scope
RETURN DISTINCT id
ORDER BY id
LIMIT 1000
