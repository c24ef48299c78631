// knowledge/restore_triples, the triples that were taken back with a source at an instant stand again
// mode:       write
// returns:    one
// parameters: $source_id STRING, $scopes LIST<STRING>, $retracted_at ZONED DATETIME
// columns:    triples
CYPHER 25 MATCH (s:Source {id: $source_id})
WHERE s.scope IN $scopes
CALL (s) {
  MATCH (a:Entity)-[r]->(:Entity)
  WHERE a.scope = s.scope AND r.source_id = s.id AND r.retracted_at = $retracted_at
  SET r.retracted_at = null
  RETURN count(r) AS triples
}
RETURN triples

// knowledge/node, whether a node is there, whose it is, and whether it was taken back
// mode:       read
// returns:    maybe
// parameters: $label STRING, $id STRING, $scopes LIST<STRING>
// columns:    id, scope, name, retracted_at, merged_into, version
CYPHER 25 MATCH (n:$($label) {id: $id})
WHERE n.scope IN $scopes
RETURN n.id AS id, n.scope AS scope, left(coalesce(n.name, n.title, n.content, n.text, ''), 80) AS name,
  n.retracted_at AS retracted_at, n.merged_into AS merged_into, n.version AS version

// knowledge/count_triples, how many triples a source says that still stand
// mode:       read
// returns:    maybe
// parameters: $source_id STRING, $scopes LIST<STRING>
// columns:    triples
CYPHER 25 MATCH (s:Source {id: $source_id})
WHERE s.scope IN $scopes
RETURN COUNT { MATCH (a:Entity)-[r]->(:Entity) WHERE a.scope = s.scope AND r.source_id = s.id AND r.retracted_at IS NULL }
  AS triples

// knowledge/disputed_by, the beliefs on the other side of some beliefs' open tensions
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    other
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(other:Belief)
WHERE b.scope IN $scopes AND t.scope IN $scopes AND other.scope IN $scopes AND t.status IN ['detected', 'investigating']
RETURN DISTINCT other.id AS other
ORDER BY other

// knowledge/retract_provenance, what a source said stands no longer, and neither do the triples that only it says
// mode:       write
// returns:    one
// parameters: $source_id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    triples
CYPHER 25 MATCH (s:Source {id: $source_id})
WHERE s.scope IN $scopes
CALL (s) {
  MATCH (a:Entity)-[r]->(:Entity)
  WHERE a.scope = s.scope AND r.source_id = s.id AND r.retracted_at IS NULL
  SET r.retracted_at = $now
  RETURN count(r) AS triples
}
RETURN triples

// knowledge/retract_nodes, take nodes ([label, id]) back under a receipt; a text that was taken back may be stated anew.
//                          Of all kinds only beliefs have a status for it; the others have statuses of their own
// mode:       write
// returns:    none
// parameters: $nodes LIST<LIST<STRING>>, $receipt_id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
SET n.retracted_at = $now, n.live_hash = null, n.retractions = coalesce(n.retractions, []) + $receipt_id,
    n.version = n.version + 1
FOREACH (_ IN CASE WHEN n:Belief THEN [1] ELSE [] END | SET n.status = 'retracted')

// knowledge/mark_nodes, note on nodes ([label, id]) that something under them was retracted; they stay
// mode:       write
// returns:    none
// parameters: $nodes LIST<LIST<STRING>>, $receipt_id STRING, $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
SET n.retractions = coalesce(n.retractions, []) + $receipt_id, n.version = n.version + 1
