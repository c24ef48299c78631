// ingest/graph_size, how many triples a scope holds, by the counts of the registry
// mode:       read
// returns:    one
// parameters: $scope STRING
// columns:    triples
CYPHER 25 MATCH (type:RelationshipType {scope: $scope})
RETURN coalesce(sum(type.count), 0) AS triples

// ingest/unembedded_total, how many entities, types and passages lack a vector of this model
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>, $model STRING
// columns:    missing
CYPHER 25 MATCH (n:Entity|RelationshipType|Passage)
WHERE n.scope IN $scopes AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN count(n) AS missing
