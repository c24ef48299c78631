// reasoning/paths, all shortest walkable paths from any source to any target, none of them through another target;
//             a length is no parameter in Cypher: `clause.reasoning.relation_text` writes it over the marked one
// mode:       read
// returns:    many
// parameters: $sources LIST<STRING>, $targets LIST<STRING>, $scopes LIST<STRING>, $types LIST<STRING>,
//             $valid ZONED DATETIME, $recorded ZONED DATETIME, $limit INTEGER
// columns:    nodes, edges
CYPHER 25 MATCH (a:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster) WHERE a.id IN $sources AND a.scope IN $scopes
MATCH (b:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster) WHERE b.id IN $targets AND b.scope IN $scopes AND b <> a
MATCH p = ALL SHORTEST (a) (
  (x)-[r WHERE type(r) IN $types
      AND (r.scope IS NULL OR r.scope IN $scopes)
      AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
      AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded)
      AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
    ]-(y WHERE y.scope IN $scopes)
){1,6 /* hops */} (b)
WHERE none(n IN nodes(p)[1..-1] WHERE n.id IN $targets)
WITH [n IN nodes(p) | n.id] AS nodes,
  [r IN relationships(p) | [startNode(r).id, type(r), endNode(r).id]] AS edges
ORDER BY size(edges), nodes, edges
RETURN DISTINCT nodes, edges
LIMIT $limit
