// knowledge/held_ids, ids of the held beliefs of a scope, in their order
// mode:       read
// returns:    many
// parameters: $scope STRING, $after STRING, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (b:Belief)
WHERE b.scope = $scope AND b.id > $after AND b.status IN ['active', 'disputed']
RETURN b.id AS id
ORDER BY id
LIMIT $limit
