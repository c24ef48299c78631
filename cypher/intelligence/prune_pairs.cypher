// intelligence/prune_pairs, drop what occurred together once only around a basin that has very many neighbours
// mode:       write
// returns:    one
// parameters: $ids LIST<STRING>, $scope STRING, $least INTEGER, $many INTEGER
// columns:    pruned
CYPHER 25 UNWIND $ids AS id
MATCH (b:AttractorBasin {id: id})
WHERE b.scope = $scope AND COUNT { (b)-[:CO_OCCURS_WITH]-() } > $many
MATCH (b)-[pair:CO_OCCURS_WITH]-(:AttractorBasin)
WHERE pair.count < $least
WITH DISTINCT pair
DELETE pair
RETURN count(*) AS pruned
