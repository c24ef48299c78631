// knowledge/types_in_words, the relationship types of some scopes as questions are read by them
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    relation, scope, text, inverse_text, count, told_by, told_at
CYPHER 25 MATCH (t:RelationshipType)
WHERE t.scope IN $scopes
RETURN t.name AS relation, t.scope AS scope, coalesce(t.text, t.name) AS text,
  coalesce(t.inverse_text, t.text, t.name) AS inverse_text, coalesce(t.count, 0) AS count,
  t.told_by AS told_by, t.told_at AS told_at
ORDER BY scope, relation
LIMIT 10000

// knowledge/tell_type, what a relationship type means in words; the scope counts it, so that no service reads on by
//                      what it remembers
// mode:       write
// returns:    maybe
// parameters: $scope STRING, $name STRING, $text STRING, $inverse_text STRING, $vectors LIST<ANY>, $model STRING,
//             $told_by STRING, $told_at ZONED DATETIME
// columns:    relation, scope, text, inverse_text, count, told_by, told_at
CYPHER 25 MATCH (t:RelationshipType {scope: $scope, name: $name})
SET t.text = $text, t.inverse_text = $inverse_text, t.told_by = $told_by, t.told_at = $told_at,
  t.embedding = toFloatList($vectors[0]), t.inverse_embedding = toFloatList($vectors[1]), t.embedding_model = $model,
  t.version = coalesce(t.version, 0) + 1
WITH t
MATCH (s:Scope {id: $scope})
SET s.types_told = coalesce(s.types_told, 0) + 1
RETURN t.name AS relation, t.scope AS scope, t.text AS text, t.inverse_text AS inverse_text,
  coalesce(t.count, 0) AS count, t.told_by AS told_by, t.told_at AS told_at
