// reasoning/seed_vectors, entities near a question in meaning, where none is named
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $embedding VECTOR, $limit INTEGER, $as_of_recorded DATETIME
// columns:    id, scope, name, degree, similarity
CYPHER 25 MATCH (n:Entity)
SEARCH n IN (VECTOR INDEX entity_embedding FOR $embedding WHERE n.scope IN $scopes LIMIT $limit) SCORE AS score
WITH n, 2 * score - 1 AS similarity
WHERE $as_of_recorded IS NULL OR n.recorded_at <= $as_of_recorded
RETURN n.id AS id, n.scope AS scope, n.name AS name, coalesce(n.degree, 0) AS degree, similarity
ORDER BY similarity DESC, id
