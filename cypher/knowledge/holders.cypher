// knowledge/holders, nodes of one label in some scopes that hold one of some texts in a property of their own
// mode:       read
// returns:    many
// parameters: $label STRING, $scopes LIST<STRING>, $texts LIST<STRING>, $ids LIST<STRING>
// columns:    id
CYPHER 25 MATCH (n:$($label))
WHERE n.scope IN $scopes AND NOT n.id IN $ids
  AND any(key IN keys(n) WHERE n[key] IS :: STRING AND any(text IN $texts WHERE n[key] CONTAINS text))
RETURN n.id AS id
ORDER BY id
LIMIT 10000
