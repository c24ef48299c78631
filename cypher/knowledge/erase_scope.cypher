// knowledge/erase_scope, remove a scope's nodes of one label, a slice at a time
// mode:       write
// returns:    one
// parameters: $label STRING, $scope STRING, $kept LIST<STRING>, $limit INTEGER
// columns:    erased, vectors
CYPHER 25 MATCH (n:$($label))
WHERE n.scope = $scope AND NOT any(label IN labels(n) WHERE label IN $kept)
WITH n LIMIT $limit
WITH n, size([key IN keys(n) WHERE key ENDS WITH 'embedding']) AS vectors
DETACH DELETE n
RETURN count(*) AS erased, coalesce(sum(vectors), 0) AS vectors
