// ingest/unembedded_count_evidence, how much evidence lacks a vector of this model
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>, $model STRING
// columns:    missing
CYPHER 25 MATCH (n:Evidence)
WHERE n.scope IN $scopes AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN count(n) AS missing
