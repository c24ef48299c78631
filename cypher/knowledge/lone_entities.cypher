// knowledge/lone_entities, entities of a scope that nothing speaks of any more
// mode:       read
// returns:    many
// parameters: $scope STRING, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (e:Entity)
WHERE e.scope = $scope
  AND NOT EXISTS { MATCH (e)-[r]-() WHERE NOT type(r) IN ['VISITED', 'ASKED_FROM', 'MAYBE_SAME_AS', 'HAS_BASIN'] }
RETURN e.id AS id
ORDER BY id
LIMIT $limit
