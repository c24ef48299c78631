// ingest/unembedded_count_experiences, how many resolved experiences lack vectors of this model
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>, $model STRING
// columns:    missing
CYPHER 25 MATCH (n:Experience)
WHERE n.scope IN $scopes AND n.open_key IS NULL AND n.content IS NOT NULL
  AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN count(n) AS missing
