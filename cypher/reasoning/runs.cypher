// reasoning/runs, recorded runs that read only scopes of the caller's, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $after STRING, $limit INTEGER
// columns:    id, scope, query, policy, recorded_at
CYPHER 25 MATCH (run:Run)
WHERE run.scope IN $scopes AND all(scope IN run.scopes WHERE scope IN $scopes)
  AND ($after IS NULL OR run.id < $after)
WITH run ORDER BY run.id DESC LIMIT $limit
MATCH (run)-[:DECIDED_BY]->(policy:Policy)
RETURN run.id AS id, run.scope AS scope, run.query AS query, policy.id AS policy, run.recorded_at AS recorded_at
ORDER BY id DESC
