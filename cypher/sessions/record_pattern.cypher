// sessions/record_pattern, a pattern seen for the first time, or once more when it is known; where it was seen counts once
// mode:       write
// returns:    one
// parameters: $key STRING, $pattern MAP, $embedding VECTOR, $scope STRING, $session_id STRING, $step FLOAT, $cap FLOAT,
//             $established INTEGER, $recorded_at ZONED DATETIME
// columns:    pattern, created
CYPHER 25 MERGE (known:Scope {id: $scope})
ON CREATE SET known.scope = $scope, known.recorded_at = $recorded_at
WITH 1 AS one
MERGE (p:Pattern {key: $key})
ON CREATE SET p += $pattern, p.embedding = toFloatList($embedding)
WITH p, p.id = $pattern.id AS created
WHERE p.scope = $scope
FOREACH (_ IN CASE WHEN created THEN [] ELSE [1] END |
  SET p.confidence = CASE WHEN p.confidence + $step * (1.0 - p.confidence) > $cap THEN $cap
                          ELSE p.confidence + $step * (1.0 - p.confidence) END,
      p.occurrences = p.occurrences + 1, p.version = p.version + 1, p.archived_at = null,
      p.last_seen = CASE WHEN p.last_seen < $recorded_at THEN $recorded_at ELSE p.last_seen END)
SET p.status = CASE WHEN p.occurrences >= $established THEN 'established' ELSE 'emerging' END
WITH p, created
OPTIONAL MATCH (s:Session {id: $session_id}) WHERE s.scope = $scope
FOREACH (_ IN CASE WHEN s IS NOT NULL THEN [1] ELSE [] END |
  MERGE (p)-[seen:EVIDENCED_BY]->(s)
  ON CREATE SET seen.scope = $scope, seen.recorded_at = $recorded_at)
RETURN p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} AS pattern, created
