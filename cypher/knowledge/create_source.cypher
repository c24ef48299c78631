// knowledge/create_source, a source; the same one again is found
// mode:       write
// returns:    one
// parameters: $source MAP, $scope STRING, $recorded_at ZONED DATETIME
// columns:    id, created
CYPHER 25 MERGE (known:Scope {id: $scope})
ON CREATE SET known.scope = $scope, known.recorded_at = $recorded_at
WITH 1 AS one
MERGE (s:Source {id: $source.id})
ON CREATE SET s += $source
RETURN s.id AS id, s.recorded_at = $recorded_at AS created
