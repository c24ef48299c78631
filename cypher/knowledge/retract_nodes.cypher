// knowledge/retract_nodes, take nodes ([label, id]) back under a receipt; a text that was taken back may be stated anew
// mode:       write
// returns:    none
// parameters: $nodes LIST<LIST<STRING>>, $receipt_id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
SET n.retracted_at = $now, n.live_hash = null, n.retractions = coalesce(n.retractions, []) + $receipt_id,
    n.version = n.version + 1
FOREACH (_ IN CASE WHEN n.status IS NOT NULL THEN [1] ELSE [] END | SET n.status = 'retracted')
