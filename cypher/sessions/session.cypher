// sessions/session, one session
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    session
CYPHER 25 MATCH (s:Session {id: $id})
WHERE s.scope IN $scopes
RETURN properties(s) AS session
