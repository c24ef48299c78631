// ingest/embed_evidence, store the vectors of evidence; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:Evidence {id: $ids[i]})
WHERE n.scope IN $scopes
SET n.embedding = toFloatList($vectors[i][0]), n.embedding_model = $model
