// sessions/scopes_of_patterns, scopes with patterns
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS { MATCH (n:Pattern) WHERE n.scope = s.id AND n.id > '' }
RETURN s.id AS scope
ORDER BY scope

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

// sessions/insights, what was extracted from sessions as beliefs, newest first, after a belief of a session; null narrows
//                    nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $session_id STRING, $after STRING, $after_session STRING, $limit INTEGER
// columns:    belief_id, session_id, method, content, confidence, status, recorded_at
CYPHER 25 MATCH (b:Belief)-[from:EXTRACTED_FROM]->(s:Session)
WHERE b.scope IN $scopes AND s.scope IN $scopes AND ($session_id IS NULL OR s.id = $session_id)
  AND ($after IS NULL OR b.id < $after OR (b.id = $after AND s.id < $after_session))
RETURN b.id AS belief_id, s.id AS session_id, from.method AS method, b.content AS content, b.overall AS confidence,
  b.status AS status, from.recorded_at AS recorded_at
ORDER BY belief_id DESC, session_id DESC
LIMIT $limit
