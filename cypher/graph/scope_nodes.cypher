// graph/scope_nodes, some of a scope's nodes whole, with the relationships that start there:
//                    [type, labels of the end, id of the end, scope of the end, properties]
// mode:       read
// returns:    many
// parameters: $label STRING, $ids LIST<STRING>, $scope STRING
// columns:    labels, properties, relationships
CYPHER 25 UNWIND $ids AS id
MATCH (n:$($label) {id: id})
WHERE n.scope = $scope
RETURN labels(n) AS labels, properties(n) AS properties,
  COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), labels(m), m.id, m.scope, properties(r)] } AS relationships
ORDER BY n.id
