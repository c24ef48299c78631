// knowledge/runs_holding, recorded runs that read one of some scopes and hold one of some pieces of text (as JSON writes them); null:
//                         all that read one
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $pieces LIST<STRING>
// columns:    id
CYPHER 25 MATCH (run:Run)
WHERE (run.scope IN $scopes OR any(scope IN run.scopes WHERE scope IN $scopes))
  AND ($pieces IS NULL OR any(piece IN $pieces WHERE run.query CONTAINS piece OR run.request CONTAINS piece OR run.seeds CONTAINS piece
           OR run.digest CONTAINS piece)
       OR EXISTS {
         MATCH (run)-[:HAS_STEP]->(step:RunStep)
         WHERE any(piece IN $pieces WHERE coalesce(step.left_out, '') CONTAINS piece OR coalesce(step.detail, '') CONTAINS piece)
       })
RETURN run.id AS id
ORDER BY id
LIMIT 100000
