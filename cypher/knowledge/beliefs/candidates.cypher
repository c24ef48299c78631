// knowledge/candidates, held beliefs of one scope near a statement: the same text, then the nearest by meaning; each with
//                       its subjects, and with its vector where a guard may ask for it (cosine = 2 x score - 1). Besides,
//                       beliefs that said the same text, rest on something, and are held no longer
// mode:       read
// returns:    many
// parameters: $scope STRING, $content_hash STRING, $embedding VECTOR, $dimension INTEGER, $limit INTEGER,
//             $least FLOAT, $vectors_from FLOAT
// columns:    id, content, content_hash, similarity, valid_from, valid_until, domain_path, overall, subjects, recalled_in,
//             told_to, embedding, held
CYPHER 25 CALL () {
  MATCH (n:Belief)
  WHERE n.scope = $scope AND n.content_hash = $content_hash AND n.status IN ['active', 'disputed']
  RETURN n, 1.0 AS similarity
  ORDER BY n.recorded_at, n.id
  LIMIT 10
  UNION
  MATCH (n:Belief)
  WHERE n.scope = $scope AND n.content_hash = $content_hash AND NOT n.status IN ['active', 'disputed']
    AND EXISTS { (n)-[:DERIVED_FROM]->() }
  RETURN n, 1.0 AS similarity
  ORDER BY n.recorded_at DESC, n.id
  LIMIT 10
  UNION
  MATCH (n:Belief)
  SEARCH n IN (VECTOR INDEX belief_embedding FOR $embedding WHERE n.scope = $scope AND n.status IN ['active', 'disputed'] LIMIT $limit) SCORE AS score
  WHERE 2 * score - 1 >= $least
  RETURN n, 2 * score - 1 AS similarity
}
WITH n, max(similarity) AS similarity
RETURN n.id AS id, n.content AS content, n.content_hash AS content_hash, similarity, n.valid_from AS valid_from,
  n.valid_until AS valid_until, n.domain_path AS domain_path, n.overall AS overall,
  COLLECT { MATCH (n)-[about:ABOUT]->(e:Entity) WHERE about.role = 'subject' RETURN e.id ORDER BY e.id LIMIT 24 } AS subjects,
  coalesce(n.recalled_in, []) AS recalled_in, coalesce(n.told_to, []) AS told_to,
  CASE WHEN similarity >= $vectors_from THEN vector(n.embedding, $dimension, FLOAT32) END AS embedding,
  n.status IN ['active', 'disputed'] AS held
ORDER BY similarity DESC, id
LIMIT 100
