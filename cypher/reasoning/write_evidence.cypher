// reasoning/write_evidence, evidence with its provenance and source; writing it again changes nothing
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (e:Evidence {id: row.id})
ON CREATE SET e.scope = row.scope, e.text = row.text, e.tokens = row.tokens, e.unit = row.unit,
  e.recorded_at = row.recorded_at
MERGE (s:Source {id: row.source})
ON CREATE SET s.scope = row.scope, s.name = row.source, s.kind = 'unknown', s.recorded_at = row.recorded_at
MERGE (p:Provenance {id: row.provenance})
ON CREATE SET p.scope = row.scope, p.source_uri = row.source_uri, p.extractor_identity = row.extractor_identity,
  p.extraction_timestamp = row.extraction_timestamp, p.supporting_evidence = row.supporting_evidence,
  p.reputation_score = row.reputation_score, p.recency_score = row.recency_score,
  p.semantic_consistency = row.semantic_consistency, p.recorded_at = row.recorded_at
SET p.verification_status = row.verification_status, p.corroboration_count = row.corroboration_count
MERGE (e)-[:HAS_PROVENANCE]->(p)
MERGE (p)-[:FROM]->(s)
