// knowledge/hand_back, remove the copies of relationships that a merge made; what was added since stays
// mode:       write
// returns:    one
// parameters: $label STRING, $winner STRING, $receipt_id STRING, $scopes LIST<STRING>
// columns:    removed
CYPHER 25 MATCH (w:$($label) {id: $winner})
WHERE w.scope IN $scopes
CALL (w) {
  MATCH (w)-[c]-(m)
  WHERE c.merge_id = $receipt_id
  WITH w, c, m, type(c) AS kind, CASE WHEN type(c) IN ['SAME_AS', 'MERGED_INTO'] THEN 0 ELSE 1 END AS counted
  SET m.degree = m.degree - counted, w.degree = w.degree - CASE WHEN m.degree IS NULL THEN 0 ELSE counted END
  DELETE c
  RETURN count(*) AS removed, collect(kind) AS kinds
}
CALL (w, kinds) {
  UNWIND kinds AS kind
  WITH w, kind, count(*) AS copies
  MATCH (t:RelationshipType {scope: w.scope, name: kind})
  SET t.count = t.count - copies
}
RETURN removed
