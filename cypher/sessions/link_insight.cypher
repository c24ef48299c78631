// sessions/link_insight, a belief was extracted from a session; linking it again changes nothing
// mode:       write
// returns:    maybe
// parameters: $belief_id STRING, $session_id STRING, $scope STRING, $method STRING, $recorded_at ZONED DATETIME
// columns:    recorded_at, method
CYPHER 25 MATCH (s:Session {id: $session_id})
WHERE s.scope = $scope
MATCH (b:Belief {id: $belief_id})
WHERE b.scope = $scope
MERGE (b)-[from:EXTRACTED_FROM]->(s)
ON CREATE SET from.method = $method, from.scope = $scope, from.recorded_at = $recorded_at
RETURN from.recorded_at AS recorded_at, from.method AS method
