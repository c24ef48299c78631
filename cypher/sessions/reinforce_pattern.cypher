// sessions/reinforce_pattern, a known pattern seen once more
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $session_id STRING, $step FLOAT, $cap FLOAT, $established INTEGER,
//             $recorded_at ZONED DATETIME
// columns:    pattern
CYPHER 25 MATCH (p:Pattern {id: $id})
WHERE p.scope = $scope
SET p.version = p.version + 1
SET p.confidence = CASE WHEN p.confidence + $step * (1.0 - p.confidence) > $cap THEN $cap
                        ELSE p.confidence + $step * (1.0 - p.confidence) END,
    p.occurrences = p.occurrences + 1, p.archived_at = null,
    p.last_seen = CASE WHEN p.last_seen < $recorded_at THEN $recorded_at ELSE p.last_seen END
SET p.status = CASE WHEN p.occurrences >= $established THEN 'established' ELSE 'emerging' END
WITH p
OPTIONAL MATCH (s:Session {id: $session_id}) WHERE s.scope = $scope
FOREACH (_ IN CASE WHEN s IS NOT NULL THEN [1] ELSE [] END |
  MERGE (p)-[seen:EVIDENCED_BY]->(s)
  ON CREATE SET seen.scope = $scope, seen.recorded_at = $recorded_at)
RETURN p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} AS pattern
