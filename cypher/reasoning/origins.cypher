// reasoning/origins, where selected units come from: of a triple [unit, head, type, tail], of a node [unit, id]
// mode:       read
// returns:    many
// parameters: $edges LIST<LIST<STRING>>, $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    unit, uri, scope, source_id, sources, reputation, status, recorded_at
CYPHER 25 CALL () {
  UNWIND $edges AS edge
  MATCH (a:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: edge[1]}) WHERE a.scope IN $scopes
  MATCH (b:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: edge[3]}) WHERE b.scope IN $scopes
  MATCH (a)-[r]->(b)
  WHERE type(r) = edge[2] AND (r.scope IS NULL OR r.scope IN $scopes)
  WITH edge, a, r ORDER BY r.source_id
  WITH edge, a, collect(DISTINCT r.source_id) AS source_ids, min(r.recorded_at) AS recorded_at,
    head(collect(r.verification_status)) AS status
  RETURN edge[0] AS unit, a AS n, source_ids, recorded_at, status
  UNION ALL
  UNWIND $nodes AS node
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: node[1]}) WHERE n.scope IN $scopes
  OPTIONAL MATCH (document:Document)-[:HAS_PASSAGE]->(n)
  WITH node, n, head(collect(document)) AS document
  RETURN node[0] AS unit, coalesce(document, n) AS n,
    CASE WHEN coalesce(n.source_id, document.source_id) IS NULL THEN []
         ELSE [coalesce(n.source_id, document.source_id)] END AS source_ids,
    n.recorded_at AS recorded_at, n.verification_status AS status
}
OPTIONAL MATCH (s:Source {id: head(source_ids)})
RETURN unit, coalesce(s.uri, n.uri, 'neo4j://' + toLower(head(labels(n))) + '/' + n.id) AS uri, n.scope AS scope,
  head(source_ids) AS source_id, size(source_ids) AS sources, s.reputation AS reputation, status, recorded_at
ORDER BY unit
LIMIT 10000
