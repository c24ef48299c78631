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
