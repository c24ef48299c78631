// knowledge/erase_runs, remove recorded runs that read one of some scopes, with their steps
// mode:       write
// returns:    one
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    runs, steps
CYPHER 25 UNWIND $ids AS id
MATCH (run:Run {id: id})
WHERE run.scope IN $scopes OR any(scope IN run.scopes WHERE scope IN $scopes)
OPTIONAL MATCH (run)-[:HAS_STEP]->(step:RunStep)
WITH run, collect(step) AS steps
WITH run, steps, size(steps) AS count
FOREACH (step IN steps | DETACH DELETE step)
DETACH DELETE run
RETURN count(*) AS runs, coalesce(sum(count), 0) AS steps
