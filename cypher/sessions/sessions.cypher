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

// sessions/session, one session
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    session
CYPHER 25 MATCH (s:Session {id: $id})
WHERE s.scope IN $scopes
RETURN properties(s) AS session

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

// sessions/sessions, sessions newest first; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $status STRING, $platform STRING, $project STRING, $room STRING, $after STRING, $limit INTEGER
// columns:    session
CYPHER 25 MATCH (s:Session)
WHERE s.scope IN $scopes AND ($status IS NULL OR s.status = $status) AND ($platform IS NULL OR s.platform = $platform)
  AND ($project IS NULL OR s.project_context = $project) AND ($room IS NULL OR s.room_id = $room)
  AND s.id < coalesce($after, '\uFFFF')
RETURN properties(s) AS session
ORDER BY s.id DESC
LIMIT $limit

// sessions/end, close an active session; no row when it has been closed, or is of another version than was seen
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $status STRING, $summary STRING, $themes LIST<STRING>, $method STRING,
//             $versions LIST<INTEGER>, $ended_at ZONED DATETIME
// columns:    session
CYPHER 25 MATCH (s:Session {id: $id})
WHERE s.scope = $scope
SET s.version = s.version + 1
WITH s, s.status = 'active' AND ($versions IS NULL OR s.version - 1 IN $versions) AS open
SET s.version = s.version - CASE WHEN open THEN 0 ELSE 1 END
WITH s, open
WHERE open
SET s.status = $status, s.summary = $summary, s.themes = $themes, s.summary_method = $method, s.ended_at = $ended_at
RETURN properties(s) AS session

// sessions/relevant_beliefs, held beliefs for the start of a session: those near a project, its own domain first, or
//                            without a project the surest of the latest
// mode:       read
// returns:    many
// parameters: $project STRING, $embedding VECTOR, $scopes LIST<STRING>, $now ZONED DATETIME, $pool INTEGER, $limit INTEGER
// columns:    id, scope, content, confidence, own, similarity
CYPHER 25 CALL () {
  WHEN $project IS NOT NULL THEN {
    CALL () {
      MATCH (b:Belief)
      SEARCH b IN (VECTOR INDEX belief_embedding FOR $embedding
        WHERE b.scope IN $scopes AND b.status IN ['active', 'disputed'] LIMIT $pool) SCORE AS score
      RETURN b, 2.0 * score - 1.0 AS similarity
      UNION ALL
      MATCH (b:Belief)
      WHERE b.scope IN $scopes AND b.id > '' AND b.status IN ['active', 'disputed']
        AND any(part IN b.domain_path WHERE toLower(part) = toLower($project))
      WITH b ORDER BY b.id DESC LIMIT $pool
      RETURN b, coalesce(2.0 * vector.similarity.cosine(b.embedding, $embedding) - 1.0, 0.0) AS similarity
    }
    RETURN b, max(similarity) AS similarity,
      any(part IN coalesce(b.domain_path, []) WHERE toLower(part) = toLower($project)) AS own
  }
  ELSE {
    MATCH (b:Belief)
    WHERE b.scope IN $scopes AND b.id > '' AND b.status IN ['active', 'disputed']
    RETURN b, 0.0 AS similarity, false AS own
    ORDER BY b.id DESC
    LIMIT $pool
  }
}
CALL (b, similarity, own) { // one that begins later leaves the one before it in force
  RETURN b AS held, similarity AS near, own AS mine
  UNION
  MATCH (b)-[:SUPERSEDES*1..20]->(held:Belief)
  WHERE b.valid_from > $now AND held.scope IN $scopes AND held.valid_until > $now
  RETURN held, similarity AS near, own AS mine
}
WITH held AS b, max(near) AS similarity, any(one IN collect(mine) WHERE one) AS own
WHERE (b.valid_from IS NULL OR b.valid_from <= $now) AND (b.valid_until IS NULL OR b.valid_until > $now)
  AND b.retracted_at IS NULL AND b.archived_at IS NULL
RETURN b.id AS id, b.scope AS scope, b.content AS content, b.overall AS confidence, own, similarity
ORDER BY own DESC, similarity DESC, confidence DESC, id DESC
LIMIT $limit
