// knowledge/count_scope, how many nodes, vectors and relationships a scope has under one label
// mode:       read
// returns:    one
// parameters: $label STRING, $scope STRING, $kept LIST<STRING>
// columns:    nodes, vectors, relationships
CYPHER 25 MATCH (n:$($label))
WHERE n.scope = $scope AND NOT any(label IN labels(n) WHERE label IN $kept)
RETURN count(n) AS nodes, coalesce(sum(size([key IN keys(n) WHERE key ENDS WITH 'embedding'])), 0) AS vectors,
  coalesce(sum(COUNT { (n)-->() }), 0) AS relationships
