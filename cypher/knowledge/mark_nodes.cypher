// knowledge/mark_nodes, note on nodes ([label, id]) that something under them was retracted; they stay
// mode:       write
// returns:    none
// parameters: $nodes LIST<LIST<STRING>>, $receipt_id STRING, $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
SET n.retractions = coalesce(n.retractions, []) + $receipt_id, n.version = n.version + 1
