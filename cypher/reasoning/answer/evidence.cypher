// reasoning/write_evidence, evidence with its provenance and source; writing it again changes nothing. What was erased
//                           while an answer was made is not written again: a node that it rests on, or a told source,
//                           is gone
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $instants LIST<ZONED DATETIME>
// columns:    none
CYPHER 25 UNWIND $rows AS row
WITH row, $instants[row.recorded_at] AS recorded_at
WHERE all(id IN row.rests_on WHERE EXISTS {
    MATCH (:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: id}) })
  AND (NOT row.told OR EXISTS { MATCH (:Source {id: row.source}) })
MERGE (e:Evidence {id: row.id})
ON CREATE SET e.scope = row.scope, e.text = row.text, e.tokens = row.tokens, e.unit = row.unit,
  e.recorded_at = recorded_at, e.read_from = row.read_from
MERGE (s:Source {id: row.source})
ON CREATE SET s.scope = row.scope, s.name = row.source, s.kind = 'unknown', s.recorded_at = recorded_at
MERGE (p:Provenance {id: row.provenance})
ON CREATE SET p.scope = row.scope, p.source_uri = row.source_uri, p.extractor_identity = row.extractor_identity,
  p.extraction_timestamp = $instants[row.extraction_timestamp], p.supporting_evidence = row.supporting_evidence,
  p.reputation_score = row.reputation_score, p.recency_score = row.recency_score,
  p.semantic_consistency = row.semantic_consistency, p.recorded_at = recorded_at
SET p.verification_status = row.verification_status, p.corroboration_count = row.corroboration_count
MERGE (e)-[:HAS_PROVENANCE]->(p)
MERGE (p)-[:FROM]->(s)

// reasoning/origins, where selected units come from: of a triple [unit, head, type, tail], of a node [unit, id].
//                    A belief that is disputed waits for review; one that a person confirmed, or that several
//                    independent sources hold up with enough corroboration, is verified
// mode:       read
// returns:    many
// parameters: $edges LIST<LIST<STRING>>, $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>, $valid ZONED DATETIME,
//             $recorded ZONED DATETIME, $verifying INTEGER, $verified_from FLOAT, $hidden_sources LIST<STRING>
// columns:    unit, uri, scope, source_id, told, sources, reputation, status, recorded_at
CYPHER 25 CALL () {
  UNWIND $edges AS edge
  OPTIONAL MATCH (head:Entity {id: edge[1]})
  OPTIONAL MATCH (tail:Entity {id: edge[3]})
  // most ends are entities: only for another all its labels are looked up
  CALL (edge, head) {
    WHEN head IS NOT NULL THEN { RETURN head AS a }
    ELSE { MATCH (a:Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: edge[1]}) RETURN a }
  }
  CALL (edge, tail) {
    WHEN tail IS NOT NULL THEN { RETURN tail AS b }
    ELSE { MATCH (b:Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: edge[3]}) RETURN b }
  }
  MATCH (a)-[r]->(b)
  WHERE a.scope IN $scopes AND b.scope IN $scopes AND type(r) = edge[2] AND (r.scope IS NULL OR r.scope IN $scopes)
    AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
    AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded) AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
    AND NOT coalesce(r.source_id, '') IN $hidden_sources
  WITH edge, a, r ORDER BY r.source_id
  WITH edge, a, collect(DISTINCT r.source_id) AS source_ids, min(r.recorded_at) AS recorded_at,
    head(collect(r.verification_status)) AS status
  RETURN edge[0] AS unit, a AS n, source_ids, size(source_ids) AS sources, recorded_at, status
  UNION ALL
  UNWIND $nodes AS node
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: node[1]}) WHERE n.scope IN $scopes
  OPTIONAL MATCH (document:Document)-[:HAS_PASSAGE]->(n)
  WITH node, n, head(collect(document)) AS document
  WITH node, n, coalesce(document, n) AS origin,
    CASE WHEN coalesce(n.source_id, document.source_id) IS NULL THEN []
         ELSE [coalesce(n.source_id, document.source_id)] END AS source_ids,
    // without its first source, a belief is told by those that still say it
    CASE WHEN size($hidden_sources) = 0 OR NOT n:Belief THEN null ELSE COLLECT {
      MATCH (n)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(other:Source)
      WHERE p.retracted_at IS NULL AND NOT other.id IN $hidden_sources
      RETURN DISTINCT other.id ORDER BY other.id LIMIT 100
    } END AS left
  WITH node, n, origin, left, coalesce(left, source_ids) AS source_ids
  RETURN node[0] AS unit, origin AS n, source_ids,
    CASE WHEN left IS NULL AND n:Belief THEN coalesce(n.sources, size(source_ids)) ELSE size(source_ids) END AS sources,
    n.recorded_at AS recorded_at,
    CASE WHEN n.verification_status IS NOT NULL THEN n.verification_status
         WHEN n:Belief AND n.status = 'disputed' THEN 'pending_review'
         WHEN n:Belief AND (n.verified_at IS NOT NULL
                            OR n.sources >= $verifying AND n.c_corroboration >= $verified_from) THEN 'verified' END AS status
}
OPTIONAL MATCH (s:Source {id: head(source_ids)})
RETURN unit, coalesce(s.uri, n.uri, 'neo4j://' + toLower(head(labels(n))) + '/' + n.id) AS uri, n.scope AS scope,
  head(source_ids) AS source_id, s IS NOT NULL AS told, sources, s.reputation AS reputation, status, recorded_at
ORDER BY unit
LIMIT 10000
