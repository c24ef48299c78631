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
