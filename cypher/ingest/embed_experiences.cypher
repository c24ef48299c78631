// ingest/embed_experiences, store the vectors of experiences, two or four for each; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:Experience {id: $ids[i]})
WHERE n.scope IN $scopes
SET n.embedding = toFloatList($vectors[i][0]), n.strategy_embedding = toFloatList($vectors[i][1]),
    n.surprise_embedding = CASE WHEN size($vectors[i]) > 2 THEN toFloatList($vectors[i][2]) END,
    n.root_cause_embedding = CASE WHEN size($vectors[i]) > 3 THEN toFloatList($vectors[i][3]) END,
    n.embedding_model = $model
