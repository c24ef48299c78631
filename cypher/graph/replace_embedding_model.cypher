// graph/replace_embedding_model, record another model after everything was embedded anew
// mode:       write
// returns:    none
// parameters: $model STRING, $dimension INTEGER, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (m:EmbeddingModel {id: 'embedding-model'})
ON CREATE SET m.scope = 'public'
SET m.model = $model, m.dimension = $dimension, m.recorded_at = $recorded_at, m.version = coalesce(m.version, 0) + 1
