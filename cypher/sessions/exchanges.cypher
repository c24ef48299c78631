// sessions/exchanges, exchanges of a session in order, after a sequence number
// mode:       read
// returns:    many
// parameters: $session_id STRING, $scopes LIST<STRING>, $after INTEGER, $limit INTEGER
// columns:    exchange
CYPHER 25 MATCH (e:Exchange)
WHERE e.session_id = $session_id AND e.sequence > $after AND e.scope IN $scopes
RETURN properties(e) AS exchange
ORDER BY e.sequence
LIMIT $limit
