// intelligence/emergent_patterns, a pattern for each basin that attracts enough seeds of a scope; what it grew from is kept
// mode:       write
// returns:    many
// parameters: $basins LIST<STRING>, $scopes LIST<STRING>, $least INTEGER, $now ZONED DATETIME
// columns:    id, seed_count
CYPHER 25 UNWIND $basins AS id
MATCH (basin:AttractorBasin {id: id})<-[:ATTRACTED_TO]-(seed:ThoughtSeed)
WHERE seed.scope IN $scopes
WITH basin, seed.scope AS scope, seed
ORDER BY seed.created_at, seed.id
WITH basin, scope, count(seed) AS seeds, collect(DISTINCT seed.concept)[..20] AS concepts, collect(seed)[..100] AS first
WHERE seeds >= $least
MERGE (pattern:EmergentPattern {id: 'pat_' + basin.id + '_' + scope})
ON CREATE SET pattern.scope = scope, pattern.recorded_at = $now, pattern.name = basin.name, pattern.version = 0,
  pattern.basin_id = basin.id
SET pattern.seed_count = seeds, pattern.concepts = concepts, pattern.last_seen = $now, pattern.version = pattern.version + 1
WITH pattern, seeds, first
CALL (pattern, first) {
  UNWIND first AS seed
  MERGE (pattern)-[made:GENERATED_BY]->(seed)
  ON CREATE SET made.scope = pattern.scope, made.recorded_at = pattern.last_seen
}
RETURN pattern.id AS id, seeds AS seed_count
ORDER BY id
LIMIT 10000
