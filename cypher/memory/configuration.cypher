// memory/configurations, what some scopes say of their own, as JSON
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    scope, configuration
CYPHER 25 UNWIND $scopes AS scope
MATCH (s:Scope {id: scope})
WHERE s.scope = scope AND s.memory_configuration IS NOT NULL
RETURN s.id AS scope, s.memory_configuration AS configuration
ORDER BY scope
LIMIT 10000

// memory/configure, let a scope say something of its own (JSON), or nothing (null)
// mode:       write
// returns:    none
// parameters: $scope STRING, $configuration STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (s:Scope {id: $scope})
ON CREATE SET s.scope = $scope, s.recorded_at = $recorded_at
WITH s
WHERE s.scope = $scope
SET s.memory_configuration = $configuration
