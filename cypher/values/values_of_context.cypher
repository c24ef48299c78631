// values/values_of_context, values whose cluster holds an experience of this domain and strategy, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $context STRING, $dimension INTEGER, $limit INTEGER
// columns:    value, embedding, entities
CYPHER 25 MATCH (n:Value)
WHERE n.scope IN $scopes AND n.retracted_at IS NULL AND size(n.embedding) = $dimension AND $context IN n.contexts
WITH n ORDER BY n.value_number DESC LIMIT $limit
RETURN n {.*, embedding: NULL} AS value, vector(n.embedding, $dimension, FLOAT32) AS embedding, [] AS entities
ORDER BY value.value_number DESC
