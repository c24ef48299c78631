// reasoning/embeddings, vectors of nodes that an expansion within the caller's scopes has returned
// mode:       read
// returns:    many
// parameters: $nodes LIST<STRING>, $dimension INTEGER
// columns:    id, embedding
CYPHER 25 UNWIND $nodes AS id
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: id})
WHERE n.embedding IS NOT NULL AND size(n.embedding) = $dimension
RETURN id, vector(n.embedding, $dimension, FLOAT32) AS embedding
LIMIT 100000
