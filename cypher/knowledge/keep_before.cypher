// knowledge/keep_before, lock some nodes ([label, id], in the order of ids) and keep what undoing has to restore; the
//                        receipt is made with it. Run again it keeps what was kept first
// mode:       write
// returns:    one
// parameters: $receipt MAP, $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>, $recorded_at ZONED DATETIME
// columns:    kept
CYPHER 25 MERGE (receipt:Receipt {id: $receipt.id})
ON CREATE SET receipt += $receipt
WITH receipt
CALL (receipt) {
  UNWIND $nodes AS node
  MATCH (n:$(node[0]) {id: node[1]})
  WHERE n.scope IN $scopes
  SET n.lock = 1
  REMOVE n.lock
  WITH receipt, n, node
  MERGE (k:Kept {id: receipt.id + '/' + node[0] + '/' + node[1]})
  ON CREATE SET k += n {.status, .stage, .version, .retracted_at, .archived_at, .merged_into, .live_hash, .overall, .ceiling,
      .sources, .statements, .open_tensions, .settled_at, .confirmed_at, .history, .c_internal_consistency,
      .c_temporal_freshness, .c_corroboration, .retractions, .aliases, .degree},
    k.scope = n.scope, k.node_id = n.id, k.label = node[0], k.receipt_id = receipt.id, k.recorded_at = $recorded_at
  RETURN count(k) AS kept
}
RETURN kept
