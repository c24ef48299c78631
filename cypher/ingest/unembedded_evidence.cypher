// ingest/unembedded_evidence, evidence without a vector of this model, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $model STRING, $after STRING, $limit INTEGER
// columns:    id, texts
CYPHER 25 MATCH (n:Evidence)
USING INDEX n:Evidence(id)
WHERE n.id > $after AND n.scope IN $scopes AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN n.id AS id, [n.text] AS texts
ORDER BY id
LIMIT $limit
