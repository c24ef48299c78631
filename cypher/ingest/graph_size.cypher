// ingest/graph_size, how many triples a scope holds, by the counts of the registry
// mode:       read
// returns:    one
// parameters: $scope STRING
// columns:    triples
CYPHER 25 MATCH (type:RelationshipType {scope: $scope})
RETURN coalesce(sum(type.count), 0) AS triples
