// graph/register_scope, make a scope known before or while something is written into it
// mode:       write
// returns:    none
// parameters: $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (s:Scope {id: $scope})
ON CREATE SET s.scope = $scope, s.recorded_at = $recorded_at
