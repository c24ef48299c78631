// intelligence/trigger_counts, how many triggers are in each state
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    status, count
CYPHER 25 MATCH (t:CuriosityTrigger)
WHERE t.scope IN $scopes AND all(scope IN coalesce(t.scopes, [])
  WHERE scope IN $scopes OR NOT EXISTS { MATCH (known:Scope) WHERE known.id = scope })
  AND t.trigger_type = 'prediction_error'
RETURN t.investigation_status AS status, count(t) AS count
ORDER BY status
LIMIT 10

// intelligence/triggers, curiosity triggers, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $status STRING, $limit INTEGER
// columns:    id, scope, trigger_type, concept, error_magnitude, timestamp, investigation_status, priority, findings
CYPHER 25 MATCH (t:CuriosityTrigger)
WHERE t.scope IN $scopes AND all(scope IN coalesce(t.scopes, [])
  WHERE scope IN $scopes OR NOT EXISTS { MATCH (known:Scope) WHERE known.id = scope })
  AND ($status IS NULL OR t.investigation_status = $status) AND t.trigger_type = 'prediction_error'
RETURN t.id AS id, t.scope AS scope, t.trigger_type AS trigger_type, t.concept AS concept,
  t.error_magnitude AS error_magnitude, t.timestamp AS timestamp, t.investigation_status AS investigation_status,
  t.priority AS priority, coalesce(t.findings, 0) AS findings
ORDER BY timestamp DESC, id
LIMIT $limit

// intelligence/hold_trigger, first statement of what an investigation writes: lock its trigger; no row when it is
//                            another worker's by now
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $owner STRING
// columns:    id
CYPHER 25 MATCH (t:CuriosityTrigger {id: $id})
WHERE t.scope = $scope
SET t.version = t.version + 1
WITH t
WHERE t.owner = $owner AND t.investigation_status = 'investigating'
RETURN t.id AS id

// intelligence/write_findings, what an investigation found, as relationships that later walks can take, with evidence and
//                              provenance; only while the worker holds the trigger. Writing it again changes nothing,
//                              and what another scope found, or was taken back, stands in the way of nothing
// mode:       write
// returns:    none
// parameters: $id STRING, $owner STRING, $scope STRING, $relation STRING, $rows LIST<MAP>, $source STRING,
//             $recorded_at ZONED DATETIME, $questions LIST<STRING>, $provenance MAP
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
  ON CREATE SET p.scope = $scope, p.source_uri = source.uri, p += $provenance,
    p.extraction_timestamp = $recorded_at, p.supporting_evidence = row.supporting, p.recorded_at = $recorded_at,
    p.semantic_consistency = row.similarity
  MERGE (e)-[:HAS_PROVENANCE]->(p)
  MERGE (p)-[:FROM]->(source)
  MERGE (e)-[derived:DERIVED_FROM]->(t)
  ON CREATE SET derived.scope = $scope, derived.recorded_at = $recorded_at, derived.weight = 1.0
  WITH t, row, type
  MATCH (head:Entity {id: row.head})
  MATCH (tail:Entity {id: row.tail})
  WHERE head.scope IN t.scopes AND tail.scope IN t.scopes
  FOREACH (end IN CASE WHEN head.id < tail.id THEN [head, tail] ELSE [tail, head] END | SET end.lock = 1 REMOVE end.lock)
  WITH row, type, head, tail
  WHERE NOT EXISTS {
    MATCH (head)-[known:$(row.relation) {scope: $scope}]->(tail)
    WHERE known.retracted_at IS NULL AND (known.valid_until IS NULL OR known.valid_until > $recorded_at)
  }
  CREATE (head)-[:$(row.relation) {scope: $scope, weight: row.similarity, recorded_at: $recorded_at, source_id: $source,
                                  evidence_id: row.evidence_id}]->(tail)
  SET type.count = type.count + 1, head.degree = coalesce(head.degree, 0) + 1, tail.degree = coalesce(tail.degree, 0) + 1
}

// intelligence/lease_triggers, take waiting triggers, and those whose worker fell silent, by the server's clock: each is
//                              locked before its state is looked at, so that no two workers take one
// mode:       write
// returns:    many
// parameters: $scopes LIST<STRING>, $owner STRING, $lease_ms INTEGER, $limit INTEGER
// columns:    id, scope, scopes, concept, concept_id, question, error_magnitude
CYPHER 25 MATCH (t:CuriosityTrigger)
WHERE t.scope IN $scopes AND (t.investigation_status = 'queued'
  OR (t.investigation_status = 'investigating' AND t.leased_until <= datetime.realtime()))
WITH t
ORDER BY t.error_magnitude DESC, t.created_at, t.id
LIMIT $limit
WITH t
ORDER BY t.id
SET t.version = t.version + 1
WITH t
WHERE t.investigation_status = 'queued'
   OR (t.investigation_status = 'investigating' AND t.leased_until <= datetime.realtime())
SET t.investigation_status = 'investigating', t.owner = $owner, t.attempts = t.attempts + 1,
    t.leased_until = datetime.realtime() + duration({milliseconds: $lease_ms})
RETURN t.id AS id, t.scope AS scope, t.scopes AS scopes, t.concept AS concept, t.concept_id AS concept_id,
  t.question AS question, t.error_magnitude AS error_magnitude
ORDER BY error_magnitude DESC, id

// intelligence/around_concept, the entities within two relationships of a concept, and how each is reached
// mode:       read
// returns:    many
// parameters: $concept STRING, $scopes LIST<STRING>, $types LIST<STRING>, $first INTEGER, $limit INTEGER
// columns:    edges, names, ends
CYPHER 25 MATCH (a:Entity {id: $concept})
WHERE a.scope IN $scopes
CALL (a) {
  MATCH (a)-[r]-(b:Entity)
  WHERE type(r) IN $types AND b.scope IN $scopes AND r.retracted_at IS NULL AND b <> a
  RETURN r, b ORDER BY b.id, type(r) LIMIT $first
}
CALL (a, r, b) {
  RETURN [r] AS way, b AS far
  UNION ALL
  MATCH (b)-[s]-(c:Entity)
  WHERE type(s) IN $types AND c.scope IN $scopes AND s.retracted_at IS NULL AND c <> a AND c <> b
  WITH r, s, c ORDER BY c.id, type(s) LIMIT $first
  RETURN [r, s] AS way, c AS far
}
RETURN [x IN way | [startNode(x).id, type(x), endNode(x).id]] AS edges,
  [x IN way | [startNode(x).name, endNode(x).name]] AS names, [a.id, far.id, far.name] AS ends
ORDER BY size(edges), edges
LIMIT $limit
