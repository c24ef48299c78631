// knowledge/resolution_page, entities of a scope in the order of ids, each with the nearest others by the vectors of
//                            their names (ids above its own only, so that a pair comes once)
// mode:       read
// returns:    many
// parameters: $scope STRING, $after STRING, $limit INTEGER, $near INTEGER, $least FLOAT
// columns:    id, name, kind, pairs
CYPHER 25 MATCH (e:Entity)
USING INDEX e:Entity(id)
WHERE e.id > $after AND e.scope = $scope AND e.merged_into IS NULL AND e.retracted_at IS NULL
WITH e ORDER BY e.id LIMIT $limit
CALL (e) {
  WITH e WHERE e.embedding IS NOT NULL
  MATCH (o:Entity)
  SEARCH o IN (VECTOR INDEX entity_embedding FOR e.embedding WHERE o.scope = e.scope LIMIT $near) SCORE AS score
  WITH e, o, 2.0 * score - 1.0 AS similarity
  WHERE o.id > e.id AND similarity >= $least AND o.merged_into IS NULL AND o.retracted_at IS NULL
  RETURN collect([o.id, o.name, coalesce(o.kind, 'concept'), similarity,
    COUNT { (e)--(m)--(o) WHERE NOT m:Run AND NOT m:RunStep AND NOT m:Source }]) AS pairs
}
RETURN e.id AS id, e.name AS name, coalesce(e.kind, 'concept') AS kind, pairs
ORDER BY id
