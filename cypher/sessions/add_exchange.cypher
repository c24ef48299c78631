// sessions/add_exchange, the next exchange of an active session; its number is taken under the session's lock, in the
//                        same transaction: no gap, no double. Run again with the same id it returns what is there. The
//                        first SET reads nothing of its node, see knowledge/corroborate
// mode:       write
// returns:    maybe
// parameters: $id STRING, $session_id STRING, $scope STRING, $exchange MAP
// columns:    exchange
CYPHER 25 MATCH (s:Session {id: $session_id})
WHERE s.scope = $scope
SET s.lock = 1
SET s.exchange_count = s.exchange_count + 1, s.lock = null
WITH s
OPTIONAL MATCH (known:Exchange {id: $id})
CALL (s, known) {
  WHEN known IS NULL AND s.status = 'active' THEN {
    CREATE (e:Exchange {id: $id, scope: $scope, session_id: s.id, sequence: s.exchange_count})
    SET e += $exchange
    CREATE (e)-[:IN_SESSION {scope: $scope, recorded_at: e.recorded_at}]->(s)
    WITH s, e
    OPTIONAL MATCH (before:Exchange {session_id: s.id, sequence: e.sequence - 1})
    FOREACH (_ IN CASE WHEN before IS NOT NULL THEN [1] ELSE [] END |
      CREATE (before)-[:NEXT {scope: $scope, recorded_at: e.recorded_at}]->(e))
    RETURN e
  }
  ELSE {
    SET s.exchange_count = s.exchange_count - 1
    RETURN known AS e
  }
}
WITH e
WHERE e IS NOT NULL
RETURN properties(e) AS exchange
