// graph/scopes, every scope that something was written into, with the first time
// mode:       read
// returns:    many
// parameters: none
// columns:    id, recorded_at
CYPHER 25 MATCH (s:Scope)
RETURN s.id AS id, s.recorded_at AS recorded_at
ORDER BY id

// graph/register_scope, make a scope known before or while something is written into it
// mode:       write
// returns:    none
// parameters: $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (s:Scope {id: $scope})
ON CREATE SET s.scope = $scope, s.recorded_at = $recorded_at
