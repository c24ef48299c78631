// graph/embed_new_entities, vectors of entities that have none yet
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<VECTOR>, $model STRING, $scope STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:Entity {id: $ids[i]})
WHERE n.scope = $scope AND n.embedding IS NULL
SET n.embedding = toFloatList($vectors[i]), n.embedding_model = $model
