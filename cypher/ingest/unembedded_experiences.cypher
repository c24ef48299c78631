// ingest/unembedded_experiences, resolved experiences without vectors of this model, in the order of their ids: the texts
//                                of two axes, or of four where it was falsified
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $model STRING, $after STRING, $limit INTEGER
// columns:    id, texts
CYPHER 25 MATCH (n:Experience)
USING INDEX n:Experience(id)
WHERE n.id > $after AND n.scope IN $scopes AND n.open_key IS NULL AND n.content IS NOT NULL
  AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN n.id AS id, [text IN [n.content, n.strategy_text, n.surprise_text, n.root_cause_text] WHERE text IS NOT NULL] AS texts
ORDER BY id
LIMIT $limit
