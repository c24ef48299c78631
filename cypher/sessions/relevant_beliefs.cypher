// sessions/relevant_beliefs, held beliefs for the start of a session: those near a project, its own domain first, or
//                            without a project the surest of the latest
// mode:       read
// returns:    many
// parameters: $project STRING, $embedding VECTOR, $scopes LIST<STRING>, $now ZONED DATETIME, $pool INTEGER, $limit INTEGER
// columns:    id, content, confidence, own, similarity
CYPHER 25 CALL () {
  WHEN $project IS NOT NULL THEN {
    MATCH (b:Belief)
    SEARCH b IN (VECTOR INDEX belief_embedding FOR $embedding
      WHERE b.scope IN $scopes AND b.status IN ['active', 'disputed'] LIMIT $pool) SCORE AS score
    RETURN b, 2.0 * score - 1.0 AS similarity,
      any(part IN coalesce(b.domain_path, []) WHERE toLower(part) = toLower($project)) AS own
  }
  ELSE {
    MATCH (b:Belief)
    WHERE b.scope IN $scopes AND b.status IN ['active', 'disputed']
    RETURN b, 0.0 AS similarity, false AS own
    ORDER BY b.id DESC
    LIMIT $pool
  }
}
WITH b, similarity, own
WHERE (b.valid_from IS NULL OR b.valid_from <= $now) AND (b.valid_until IS NULL OR b.valid_until > $now)
  AND b.retracted_at IS NULL AND b.archived_at IS NULL
RETURN b.id AS id, b.content AS content, b.overall AS confidence, own, similarity
ORDER BY own DESC, similarity DESC, confidence DESC, id DESC
LIMIT $limit
