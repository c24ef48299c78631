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

// sessions/strongest_patterns, the established patterns of most confidence
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    pattern
CYPHER 25 MATCH (p:Pattern)
WHERE p.scope IN $scopes AND p.status = 'established'
RETURN p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} AS pattern
ORDER BY p.confidence DESC, p.last_seen DESC, p.id
LIMIT $limit

// sessions/nearest_patterns, patterns near a text by meaning and by words: two rankings for one fusion; of those that do not
//                            pass nothing is told
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $statuses LIST<STRING>, $type STRING, $limit INTEGER
// columns:    ranking, passes, similarity, pattern
CYPHER 25 CALL () {
  MATCH (p:Pattern)
  SEARCH p IN (VECTOR INDEX pattern_embedding FOR $embedding WHERE p.scope IN $scopes AND p.status IN $statuses LIMIT $limit)
    SCORE AS score
  RETURN 'dense' AS ranking, p, score
  UNION ALL
  CALL db.index.fulltext.queryNodes('pattern_text', $words, {limit: $limit}) YIELD node, score
  RETURN 'sparse' AS ranking, node AS p, score
}
WITH ranking, p, score,
  p.scope IN $scopes AND p.status IN $statuses AND ($type IS NULL OR p.type = $type) AS passes
RETURN ranking, passes, CASE WHEN ranking = 'dense' THEN 2.0 * score - 1.0 END AS similarity,
  CASE WHEN passes THEN p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} END AS pattern
ORDER BY ranking, score DESC, p.id

// sessions/fade_patterns, patterns not seen for long fade; those not seen for very long are put away
// mode:       write
// returns:    one
// parameters: $scope STRING, $fading_before ZONED DATETIME, $archived_before ZONED DATETIME, $now ZONED DATETIME
// columns:    faded, archived
CYPHER 25 CALL () {
  MATCH (p:Pattern)
  WHERE p.scope = $scope AND p.status IN ['emerging', 'established', 'fading'] AND p.last_seen <= $archived_before
  SET p.status = 'archived', p.archived_at = $now, p.version = p.version + 1
  RETURN count(p) AS archived
}
CALL () {
  MATCH (p:Pattern)
  WHERE p.scope = $scope AND p.status IN ['emerging', 'established'] AND p.last_seen <= $fading_before
    AND p.last_seen > $archived_before
  SET p.status = 'fading', p.version = p.version + 1
  RETURN count(p) AS faded
}
RETURN faded, archived

// sessions/patterns, patterns newest first; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $ids LIST<STRING>, $type STRING, $status STRING, $after STRING, $limit INTEGER
// columns:    pattern
CYPHER 25 MATCH (p:Pattern)
WHERE p.scope IN $scopes AND ($ids IS NULL OR p.id IN $ids) AND ($type IS NULL OR p.type = $type)
  AND ($status IS NULL OR p.status = $status) AND p.id < coalesce($after, '\uFFFF')
RETURN p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} AS pattern
ORDER BY p.id DESC
LIMIT $limit
