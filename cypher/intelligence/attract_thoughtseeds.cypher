// intelligence/attract_thoughtseeds, seeds and the basins that attract them
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (basin:AttractorBasin {id: row.basin})
MATCH (seed:ThoughtSeed {id: row.seed})
WHERE seed.scope IN $scopes
MERGE (seed)-[pull:ATTRACTED_TO]->(basin)
SET pull.scope = seed.scope, pull.recorded_at = seed.recorded_at, pull.similarity = row.similarity
