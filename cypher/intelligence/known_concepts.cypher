// intelligence/known_concepts, entities of some scopes by id or by look-up key of their name or alias
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $keys LIST<STRING>, $scopes LIST<STRING>
// columns:    id, scope, name, aliases, degree
CYPHER 25 CALL () {
  MATCH (n:Entity)
  WHERE n.id IN $ids AND n.scope IN $scopes
  RETURN n
  UNION
  MATCH (n:Entity)
  WHERE n.scope IN $scopes AND n.name_key IN $keys
  RETURN n
}
WITH n
WHERE n.merged_into IS NULL AND n.retracted_at IS NULL
RETURN n.id AS id, n.scope AS scope, n.name AS name, coalesce(n.aliases, []) AS aliases, coalesce(n.degree, 0) AS degree
ORDER BY degree DESC, id
LIMIT 1000
