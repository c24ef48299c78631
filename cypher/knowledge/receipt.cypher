// knowledge/receipt, one receipt
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    receipt
CYPHER 25 MATCH (r:Receipt {id: $id})
WHERE r.scope IN $scopes
RETURN properties(r) AS receipt
