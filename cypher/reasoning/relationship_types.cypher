// reasoning/relationship_types, the registered relationship types of some scopes with their texts and vectors
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $dimension INTEGER
// columns:    name, text, inverse_text, embedding, inverse_embedding, count, is_causal,
//             forward_gain_count, forward_gain_sum, inverse_gain_count, inverse_gain_sum
CYPHER 25 MATCH (t:RelationshipType)
WHERE t.scope IN $scopes
RETURN t.name AS name, t.text AS text, t.inverse_text AS inverse_text,
  vector(t.embedding, $dimension, FLOAT32) AS embedding,
  vector(t.inverse_embedding, $dimension, FLOAT32) AS inverse_embedding,
  coalesce(t.count, 0) AS count, coalesce(t.is_causal, false) AS is_causal,
  coalesce(t.forward_gain_count, 0) AS forward_gain_count, coalesce(t.forward_gain_sum, 0.0) AS forward_gain_sum,
  coalesce(t.inverse_gain_count, 0) AS inverse_gain_count, coalesce(t.inverse_gain_sum, 0.0) AS inverse_gain_sum
ORDER BY name, t.scope
LIMIT 10000
