// intelligence/write_findings, what an investigation found, as relationships that later walks can take, with evidence and
//                              provenance; only while the worker holds the trigger. Writing it again changes nothing
// mode:       write
// returns:    none
// parameters: $id STRING, $owner STRING, $scope STRING, $relation STRING, $rows LIST<MAP>, $source STRING,
//             $recorded_at ZONED DATETIME, $questions LIST<STRING>
// columns:    none
CYPHER 25 MATCH (t:CuriosityTrigger {id: $id})
WHERE t.scope = $scope AND t.owner = $owner AND t.investigation_status = 'investigating'
SET t.investigation_status = 'completed', t.completed_at = $recorded_at, t.questions = $questions,
    t.findings = size($rows), t.leased_until = null
WITH t
CALL (t) {
  UNWIND $rows AS row
  MERGE (source:Source {id: $source})
  ON CREATE SET source.scope = $scope, source.name = 'curiosity', source.kind = 'curiosity',
    source.uri = 'clause://curiosity', source.recorded_at = $recorded_at
  MERGE (type:RelationshipType {id: row.type_id})
  ON CREATE SET type.scope = $scope, type.name = $relation, type.text = row.type_text, type.recorded_at = $recorded_at,
    type.inverse_text = row.type_inverse, type.is_causal = false, type.count = 0, type.version = 1,
    type.embedding = toFloatList(row.type_vector), type.inverse_embedding = toFloatList(row.inverse_vector),
    type.embedding_model = row.model
  MERGE (e:Evidence {id: row.evidence_id})
  ON CREATE SET e.scope = $scope, e.text = row.text, e.unit = row.unit, e.recorded_at = $recorded_at
  MERGE (p:Provenance {id: row.provenance_id})
  ON CREATE SET p.scope = $scope, p.source_uri = source.uri, p.extractor_identity = 'CuriosityWorker-v1.0',
    p.extraction_timestamp = $recorded_at, p.supporting_evidence = row.supporting, p.recorded_at = $recorded_at,
    p.verification_status = 'unverified', p.corroboration_count = 0, p.reputation_score = 0.5, p.recency_score = 1.0,
    p.semantic_consistency = row.similarity
  MERGE (e)-[:HAS_PROVENANCE]->(p)
  MERGE (p)-[:FROM]->(source)
  MERGE (e)-[derived:DERIVED_FROM]->(t)
  ON CREATE SET derived.scope = $scope, derived.recorded_at = $recorded_at, derived.weight = 1.0
  WITH t, row, type
  MATCH (head:Entity {id: row.head})
  MATCH (tail:Entity {id: row.tail})
  WHERE head.scope IN t.scopes AND tail.scope IN t.scopes
  MERGE (head)-[found:$(row.relation)]->(tail)
  ON CREATE SET found.scope = $scope, found.weight = row.similarity, found.recorded_at = $recorded_at,
    found.source_id = $source, found.evidence_id = row.evidence_id, found.fresh = true
  WITH head, tail, type, found, coalesce(found.fresh, false) AS fresh
  FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
    SET found.fresh = null, type.count = type.count + 1, head.degree = coalesce(head.degree, 0) + 1,
        tail.degree = coalesce(tail.degree, 0) + 1
  )
}
