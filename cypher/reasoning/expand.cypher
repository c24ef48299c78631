// reasoning/expand, walkable edges around the nodes of a frontier, grouped by relationship type and direction; a node
//             of more than $wide relationships comes back with hub = true and without groups (reasoning/expand_hub)
// mode:       read
// returns:    many
// parameters: $nodes LIST<STRING>, $scopes LIST<STRING>, $forward LIST<STRING>, $backward LIST<STRING>,
//             $valid ZONED DATETIME, $recorded ZONED DATETIME, $wide INTEGER, $cap INTEGER, $pairs INTEGER
// columns:    id, name, kind, degree, text, basin, hub, groups, together
CYPHER 25 UNWIND $nodes AS id
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: id})
WHERE n.scope IN $scopes
CALL (n) {
  WHEN COUNT { (n)--() } <= $wide THEN {
    MATCH (n)-[r]-(m)
    WHERE ((startNode(r) = n AND type(r) IN $forward) OR (endNode(r) = n AND type(r) IN $backward))
      AND m.scope IN $scopes
      AND (r.scope IS NULL OR r.scope IN $scopes)
      AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
      AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded)
      AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
      AND (m.recorded_at IS NULL OR m.recorded_at <= $recorded)
      AND (m.retracted_at IS NULL OR m.retracted_at > $recorded)
      AND (m.archived_at IS NULL OR m.archived_at > $recorded)
      AND (m.valid_from IS NULL OR m.valid_from <= $valid) AND (m.valid_until IS NULL OR m.valid_until > $valid)
    WITH DISTINCT n, m, type(r) AS relation, startNode(r) = n AS forward
    ORDER BY m.id
    WITH relation, forward,
      collect([m.id, coalesce(m.name, m.title), head(labels(m)), m.degree, coalesce(m.text, m.content), m.basin_strength])[..$cap] AS ends
    RETURN collect([relation, forward, ends, size(ends)]) AS groups
  }
  ELSE {
    RETURN [] AS groups
  }
}
RETURN id, coalesce(n.name, n.title) AS name, head(labels(n)) AS kind, n.degree AS degree, coalesce(n.text, n.content) AS text,
  n.basin_strength AS basin, COUNT { (n)--() } > $wide AS hub, groups,
  CASE WHEN n.basin_strength IS NULL OR $pairs = 0 THEN [] ELSE COLLECT {
    MATCH (n)-[:HAS_BASIN]->(:AttractorBasin)-[pair:CO_OCCURS_WITH]-(other:AttractorBasin)
    WHERE other.scope IN $scopes
    RETURN [other.entity_id, pair.count] ORDER BY pair.count DESC, other.entity_id LIMIT $pairs
  } END AS together
ORDER BY id
LIMIT 10000
