// operations/borrowed_nodes, nodes ([label, id]) of other scopes that an archived scope's relationships end at
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>
// columns:    labels, properties
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
RETURN labels(n) AS labels, properties(n) AS properties
ORDER BY n.id
