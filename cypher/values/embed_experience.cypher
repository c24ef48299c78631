// values/embed_experience, the vectors of an experience on its axes, after the change that made their texts
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $change_id STRING, $model STRING, $full VECTOR, $strategy VECTOR,
//             $surprise VECTOR, $root_cause VECTOR
// columns:    none
CYPHER 25 MATCH (n:Experience {id: $id})
WHERE n.scope = $scope AND n.change_id = $change_id
SET n.embedding = toFloatList($full), n.strategy_embedding = toFloatList($strategy),
    n.surprise_embedding = CASE WHEN $surprise IS NULL THEN NULL ELSE toFloatList($surprise) END,
    n.root_cause_embedding = CASE WHEN $root_cause IS NULL THEN NULL ELSE toFloatList($root_cause) END,
    n.embedding_model = $model
