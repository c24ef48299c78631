// knowledge/nearest_entities, entities near a text by meaning and by the words of their names: two rankings
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $kind STRING, $limit INTEGER
// columns:    ranking, id, similarity
CYPHER 25 CALL () {
  MATCH (e:Entity)
  SEARCH e IN (VECTOR INDEX entity_embedding FOR $embedding WHERE e.scope IN $scopes LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, e, score
  UNION ALL
  CALL db.index.fulltext.queryNodes('entity_names', $words, {limit: $limit}) YIELD node, score
  WHERE node.scope IN $scopes
  RETURN 'sparse' AS ranking, node AS e, score
}
WITH ranking, e, score
WHERE ($kind IS NULL OR e.kind = $kind) AND e.merged_into IS NULL AND e.retracted_at IS NULL
RETURN ranking, e.id AS id, CASE WHEN ranking = 'dense' THEN 2.0 * score - 1.0 END AS similarity
ORDER BY ranking, score DESC, id
