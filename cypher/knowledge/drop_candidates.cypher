// knowledge/drop_candidates, forget the pairs of an earlier look
// mode:       write
// returns:    none
// parameters: $scope STRING
// columns:    none
CYPHER 25 MATCH (a:Entity)-[maybe:MAYBE_SAME_AS]->(:Entity)
WHERE a.scope = $scope AND maybe.scope = $scope
DELETE maybe
