// knowledge/changed_since, which nodes of a receipt have changed since it was sealed
// mode:       read
// returns:    many
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    label, id
CYPHER 25 MATCH (k:Kept)
WHERE k.receipt_id = $id AND k.scope IN $scopes
MATCH (n:$(k.label) {id: k.node_id})
WHERE coalesce(n.version, 0) <> coalesce(k.version_after, 0)
RETURN k.label AS label, n.id AS id
ORDER BY label, id
