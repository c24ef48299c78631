// knowledge/count_triples, how many triples a source says that still stand
// mode:       read
// returns:    maybe
// parameters: $source_id STRING, $scopes LIST<STRING>
// columns:    triples
CYPHER 25 MATCH (s:Source {id: $source_id})
WHERE s.scope IN $scopes
RETURN COUNT { MATCH (a:Entity)-[r]->(:Entity) WHERE a.scope = s.scope AND r.source_id = s.id AND r.retracted_at IS NULL }
  AS triples
