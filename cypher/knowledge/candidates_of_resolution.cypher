// knowledge/candidates_of_resolution, pairs of entities that may be one, most alike first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    a, b, similarity, shared, reason
CYPHER 25 MATCH (a:Entity)-[maybe:MAYBE_SAME_AS]->(b:Entity)
WHERE a.scope IN $scopes AND b.scope IN $scopes AND a.merged_into IS NULL AND b.merged_into IS NULL
  AND a.retracted_at IS NULL AND b.retracted_at IS NULL
RETURN a.id AS a, b.id AS b, maybe.similarity AS similarity, maybe.shared AS shared, maybe.reason AS reason
ORDER BY similarity DESC, a, b
LIMIT $limit
