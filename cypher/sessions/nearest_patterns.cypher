// sessions/nearest_patterns, patterns near a text by meaning and by words: two rankings for one fusion
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $statuses LIST<STRING>, $type STRING, $limit INTEGER
// columns:    ranking, similarity, pattern
CYPHER 25 CALL () {
  MATCH (p:Pattern)
  SEARCH p IN (VECTOR INDEX pattern_embedding FOR $embedding WHERE p.scope IN $scopes AND p.status IN $statuses LIMIT $limit)
    SCORE AS score
  RETURN 'dense' AS ranking, p, score
  UNION ALL
  CALL db.index.fulltext.queryNodes('pattern_text', $words, {limit: $limit}) YIELD node, score
  WHERE node.scope IN $scopes AND node.status IN $statuses
  RETURN 'sparse' AS ranking, node AS p, score
}
WITH ranking, p, score
WHERE $type IS NULL OR p.type = $type
RETURN ranking, CASE WHEN ranking = 'dense' THEN 2.0 * score - 1.0 END AS similarity,
  p {.*, embedding: null, sessions: COUNT { (p)-[:EVIDENCED_BY]->(:Session) }} AS pattern
ORDER BY ranking, score DESC, p.id
