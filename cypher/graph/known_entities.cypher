// graph/known_entities, entities of some scopes that texts name: by look-up key, or by a phrase of the full-text index
//                       (names and aliases; the caller compares them exactly)
// mode:       read
// returns:    many
// parameters: $keys LIST<STRING>, $phrases STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    id, scope, name, kind, aliases, degree
CYPHER 25 CALL () {
  MATCH (n:Entity)
  WHERE n.scope IN $scopes AND n.name_key IN $keys
  RETURN n
  UNION
  CALL db.index.fulltext.queryNodes('entity_names', $phrases, {limit: $limit}) YIELD node AS n
  WHERE n.scope IN $scopes
  RETURN n
}
WITH n
WHERE n.merged_into IS NULL AND n.retracted_at IS NULL
RETURN n.id AS id, n.scope AS scope, n.name AS name, n.kind AS kind, coalesce(n.aliases, []) AS aliases,
  coalesce(n.degree, 0) AS degree
ORDER BY degree DESC, id
LIMIT 10000
