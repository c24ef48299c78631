// graph/claim_embedding_model, record the embedding model of a graph that has none, and tell which one it has
// mode:       write
// returns:    one
// parameters: $model STRING, $dimension INTEGER, $recorded_at ZONED DATETIME
// columns:    model, dimension
CYPHER 25 MERGE (m:EmbeddingModel {id: 'embedding-model'})
ON CREATE SET m.scope = 'public', m.recorded_at = $recorded_at, m.model = $model, m.dimension = $dimension,
              m.version = 1
RETURN m.model AS model, m.dimension AS dimension
