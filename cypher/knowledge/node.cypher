// knowledge/node, whether a node is there, whose it is, and whether it was taken back
// mode:       read
// returns:    maybe
// parameters: $label STRING, $id STRING, $scopes LIST<STRING>
// columns:    id, scope, name, retracted_at, merged_into, version
CYPHER 25 MATCH (n:$($label) {id: $id})
WHERE n.scope IN $scopes
RETURN n.id AS id, n.scope AS scope, left(coalesce(n.name, n.title, n.content, n.text, ''), 80) AS name,
  n.retracted_at AS retracted_at, n.merged_into AS merged_into, n.version AS version
