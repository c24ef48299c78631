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
