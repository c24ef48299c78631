// knowledge/cut_scope, remove relationships of a scope's nodes of one label, a slice at a time: a hub does not fit one
//                      transaction
// mode:       write
// returns:    one
// parameters: $label STRING, $scope STRING, $kept LIST<STRING>, $limit INTEGER
// columns:    erased
CYPHER 25 MATCH (n:$($label))-[r]-()
WHERE n.scope = $scope AND NOT any(label IN labels(n) WHERE label IN $kept)
WITH DISTINCT r LIMIT $limit
WITH r, [m IN [startNode(r), endNode(r)] WHERE m.scope <> $scope AND m.degree IS NOT NULL
  AND type(r) IN ['ABOUT', 'MENTIONS', 'HAS_PASSAGE', 'MEMBER_OF', 'DERIVED_FROM']] AS ends
FOREACH (m IN ends | SET m.degree = m.degree - 1)
DELETE r
RETURN count(*) AS erased
