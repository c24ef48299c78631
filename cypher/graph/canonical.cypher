// graph/labels, every label that some node has had
// mode:       read
// returns:    many
// parameters: none
// columns:    label
CYPHER 25 CALL db.labels() YIELD label
RETURN label
ORDER BY label

// graph/scope_ids, ids of a scope's nodes of one label; a node of several labels belongs to the first by name.
//                  A receipt of what was undone says nothing about the present and is left out; so is the clock by
//                  which the values of all scopes are numbered.
// mode:       read
// returns:    many
// parameters: $label STRING, $scope STRING
// columns:    id
CYPHER 25 MATCH (n:$($label))
WHERE n.scope = $scope AND all(other IN labels(n) WHERE other >= $label)
  AND NOT (n:Receipt AND n.undone_at IS NOT NULL) AND n.id <> 'public/value_clock'
RETURN n.id AS id
ORDER BY id

// graph/scope_nodes, some of a scope's nodes whole, with the relationships that start there and are no other scope's:
//                    [type, labels of the end, id of the end, scope of the end, properties]
// mode:       read
// returns:    many
// parameters: $label STRING, $ids LIST<STRING>, $scope STRING
// columns:    labels, properties, relationships
CYPHER 25 UNWIND $ids AS id
MATCH (n:$($label) {id: id})
WHERE n.scope = $scope
RETURN labels(n) AS labels, properties(n) AS properties,
  COLLECT { MATCH (n)-[r]->(m) WHERE r.scope IS NULL OR r.scope = $scope
            RETURN [type(r), labels(m), m.id, m.scope, properties(r)] } AS relationships
ORDER BY n.id
