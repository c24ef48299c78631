// intelligence/near_thoughtseeds, for each seed the nearest seeds of other documents and the nearest basins; only where
//                                 those of its own document fill the first search are the sources on both sides of its
//                                 own searched apart: the index knows no "other than", and goes through all of a range
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $links INTEGER, $basins INTEGER
// columns:    id, related, attracted
CYPHER 25 UNWIND $ids AS id
MATCH (seed:ThoughtSeed {id: id})
WHERE seed.scope IN $scopes
CALL (seed) {
  MATCH (other:ThoughtSeed)
  SEARCH other IN (VECTOR INDEX thoughtseed_embedding FOR seed.embedding WHERE other.scope = seed.scope LIMIT 2 * $links)
    SCORE AS score
  RETURN count(other) AS found, collect(CASE WHEN other.source_doc <> seed.source_doc THEN [other, score] END) AS first
}
OPTIONAL CALL (seed, found, first) {
  WITH seed, found, first
  WHERE found < 2 * $links OR size(first) >= $links
  UNWIND first AS one
  RETURN one[0] AS other, one[1] AS score
  UNION ALL
  WITH seed, found, first
  WHERE found = 2 * $links AND size(first) < $links
  MATCH (other:ThoughtSeed)
  SEARCH other IN (VECTOR INDEX thoughtseed_embedding FOR seed.embedding
                   WHERE other.scope = seed.scope AND other.source_doc < seed.source_doc LIMIT $links) SCORE AS score
  RETURN other, score
  UNION ALL
  WITH seed, found, first
  WHERE found = 2 * $links AND size(first) < $links
  MATCH (other:ThoughtSeed)
  SEARCH other IN (VECTOR INDEX thoughtseed_embedding FOR seed.embedding
                   WHERE other.scope = seed.scope AND other.source_doc > seed.source_doc LIMIT $links) SCORE AS score
  RETURN other, score
}
WITH seed, other, 2 * score - 1 AS similarity
ORDER BY similarity DESC, other.id
WITH seed, collect(CASE WHEN similarity >= seed.similarity_threshold THEN [other.id, similarity] END)[..$links] AS related
CALL (seed) {
  MATCH (basin:AttractorBasin)
  SEARCH basin IN (VECTOR INDEX attractor_basin_embedding FOR seed.embedding WHERE basin.scope IN seed.scopes LIMIT $basins)
    SCORE AS score
  WITH basin, 2 * score - 1 AS similarity
  ORDER BY similarity DESC, basin.id
  RETURN collect([basin.id, similarity]) AS attracted
}
RETURN seed.id AS id, related, attracted
ORDER BY id
LIMIT 10000
