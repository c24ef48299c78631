// knowledge/take_over, a winner gets copies of the loser's relationships, marked with the receipt; the loser keeps its
//                      own. Types in $own_affair are not copied, nor is what the winner has with the same end
// mode:       write
// returns:    one
// parameters: $label STRING, $winner STRING, $loser STRING, $receipt_id STRING, $own_affair LIST<STRING>,
//             $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    copied
CYPHER 25 MATCH (w:$($label) {id: $winner})
WHERE w.scope IN $scopes
MATCH (l:$($label) {id: $loser})
WHERE l.scope IN $scopes
CALL (w, l) {
  MATCH (l)-[r]->(m)
  WHERE m <> w AND m <> l AND NOT type(r) IN $own_affair AND r.retracted_at IS NULL
    AND NOT EXISTS { MATCH (w)-[same]->(m) WHERE type(same) = type(r) AND same.retracted_at IS NULL }
  WITH w, r, m, type(r) AS kind, properties(r) AS about
  CREATE (w)-[c:$(kind)]->(m)
  SET c += about, c.merge_id = $receipt_id, c.recorded_at = $now
  SET m.degree = m.degree + 1, w.degree = w.degree + CASE WHEN m.degree IS NULL THEN 0 ELSE 1 END
  RETURN count(c) AS outgoing, collect(kind) AS out_kinds
}
CALL (w, l) {
  MATCH (m)-[r]->(l)
  WHERE m <> w AND m <> l AND NOT type(r) IN $own_affair AND r.retracted_at IS NULL
    AND NOT EXISTS { MATCH (m)-[same]->(w) WHERE type(same) = type(r) AND same.retracted_at IS NULL }
  WITH w, r, m, type(r) AS kind, properties(r) AS about
  CREATE (m)-[c:$(kind)]->(w)
  SET c += about, c.merge_id = $receipt_id, c.recorded_at = $now
  SET m.degree = m.degree + 1, w.degree = w.degree + CASE WHEN m.degree IS NULL THEN 0 ELSE 1 END
  RETURN count(c) AS incoming, collect(kind) AS in_kinds
}
CALL (w, out_kinds, in_kinds) {
  UNWIND out_kinds + in_kinds AS kind
  WITH w, kind, count(*) AS copies
  MATCH (t:RelationshipType {scope: w.scope, name: kind})
  SET t.count = t.count + copies
}
CALL (outgoing, incoming) {
  MATCH (receipt:Receipt {id: $receipt_id})
  SET receipt.relationships = outgoing + incoming
}
RETURN outgoing + incoming AS copied
