// reasoning/nearest_texts, passages near a question by meaning and by words: two rankings for one fusion
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    ranking, id, name, text
CYPHER 25 CALL () {
  MATCH (n:Passage)
  SEARCH n IN (VECTOR INDEX passage_embedding FOR $embedding WHERE n.scope IN $scopes LIMIT $limit) SCORE AS similarity
  RETURN 'dense' AS ranking, n, similarity AS score
  UNION ALL
  CALL db.index.fulltext.queryNodes('passage_text', $words, {limit: $limit}) YIELD node, score
  WHERE node.scope IN $scopes
  RETURN 'sparse' AS ranking, node AS n, score
}
RETURN ranking, n.id AS id, coalesce(n.title, '') AS name, n.text AS text
ORDER BY ranking, score DESC, id
