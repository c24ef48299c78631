// knowledge/seal_receipt, note the versions that the nodes of a receipt have now: undoing restores a node whole only
//                         while it is at this version
// mode:       write
// returns:    none
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    none
CYPHER 25 MATCH (k:Kept)
WHERE k.receipt_id = $id AND k.scope IN $scopes
MATCH (n:$(k.label) {id: k.node_id})
SET k.version_after = n.version
