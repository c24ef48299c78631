// knowledge/restore, give the nodes of a receipt back what it kept, and close it: all of it where a node is as the
//                    receipt left it, else only the marks. Nothing happens where it was undone before
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    restored
CYPHER 25 MATCH (receipt:Receipt {id: $id})
WHERE receipt.scope IN $scopes AND receipt.undone_at IS NULL
SET receipt.undone_at = $now
WITH receipt
CALL (receipt) {
  MATCH (k:Kept)
  WHERE k.receipt_id = receipt.id AND k.scope IN $scopes
  WITH k ORDER BY k.node_id
  MATCH (n:$(k.label) {id: k.node_id})
  SET n.lock = 1
  REMOVE n.lock
  WITH k, n, coalesce(n.version, 0) = coalesce(k.version_after, 0) AS untouched
  SET n.status = k.status, n.retracted_at = k.retracted_at, n.archived_at = k.archived_at,
      n.merged_into = k.merged_into, n.live_hash = k.live_hash, n.retractions = k.retractions
  FOREACH (_ IN CASE WHEN untouched THEN [1] ELSE [] END |
    SET n.version = k.version, n.stage = k.stage, n.overall = k.overall, n.ceiling = k.ceiling, n.sources = k.sources,
        n.statements = k.statements, n.open_tensions = k.open_tensions, n.settled_at = k.settled_at,
        n.confirmed_at = k.confirmed_at, n.history = k.history,
        n.c_internal_consistency = k.c_internal_consistency, n.c_temporal_freshness = k.c_temporal_freshness,
        n.c_corroboration = k.c_corroboration, n.aliases = k.aliases)
  FOREACH (_ IN CASE WHEN untouched THEN [] ELSE [1] END | SET n.version = n.version + 1)
  DETACH DELETE k
  RETURN count(n) AS restored
}
RETURN restored
