// sessions/start, a session with its conversation as a source; the same key again takes the session up again
// mode:       write
// returns:    one
// parameters: $key STRING, $session MAP, $source MAP, $scope STRING, $recorded_at ZONED DATETIME
// columns:    session, created
CYPHER 25 MERGE (known:Scope {id: $scope})
ON CREATE SET known.scope = $scope, known.recorded_at = $recorded_at
WITH 1 AS one
MERGE (s:Session {key: $key})
ON CREATE SET s += $session
WITH s, s.id = $session.id AS created
WHERE s.scope = $scope
FOREACH (_ IN CASE WHEN s.status <> 'active' THEN [1] ELSE [] END |
  SET s.status = 'active', s.ended_at = null, s.version = s.version + 1)
FOREACH (_ IN CASE WHEN created THEN [1] ELSE [] END |
  MERGE (source:Source {id: $source.id})
  ON CREATE SET source += $source
  MERGE (s)-[:FROM]->(source))
RETURN properties(s) AS session, created
