// graph/scope_ids, ids of a scope's nodes of one label; a node of several labels belongs to the first by name.
//                  A receipt of what was undone says nothing about the present and is left out.
// mode:       read
// returns:    many
// parameters: $label STRING, $scope STRING
// columns:    id
CYPHER 25 MATCH (n:$($label))
WHERE n.scope = $scope AND all(other IN labels(n) WHERE other >= $label)
  AND NOT (n:Receipt AND n.undone_at IS NOT NULL)
RETURN n.id AS id
ORDER BY id
