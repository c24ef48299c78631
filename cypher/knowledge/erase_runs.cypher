// knowledge/erase_runs, remove recorded runs that read a scope, with their steps
// mode:       write
// returns:    one
// parameters: $ids LIST<STRING>, $scope STRING
// columns:    runs, steps
CYPHER 25 UNWIND $ids AS id
MATCH (run:Run {id: id})
WHERE run.scope = $scope OR $scope IN run.scopes
OPTIONAL MATCH (run)-[:HAS_STEP]->(step:RunStep)
WITH run, collect(step) AS steps
WITH run, steps, size(steps) AS count
FOREACH (step IN steps | DETACH DELETE step)
DETACH DELETE run
RETURN count(*) AS runs, coalesce(sum(count), 0) AS steps
