// knowledge/erase_nodes, remove nodes ([label, id]) for good; degrees of what was tied to them follow
// mode:       write
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    label, erased, vectors
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
CALL (n) {
  MATCH (n)-[r:ABOUT|MENTIONS|HAS_PASSAGE|MEMBER_OF|DERIVED_FROM]-(m)
  WHERE m.degree IS NOT NULL
  SET m.degree = m.degree - 1
  RETURN count(r) AS cut
}
WITH n, node[0] AS label, size([key IN keys(n) WHERE key ENDS WITH 'embedding']) AS vectors
DETACH DELETE n
RETURN label, count(*) AS erased, sum(vectors) AS vectors
ORDER BY label
