// graph/embedding_model, the model and dimension that the graph was embedded with
// mode:       read
// returns:    maybe
// parameters: none
// columns:    model, dimension, recorded_at
CYPHER 25 MATCH (m:EmbeddingModel {id: 'embedding-model'})
RETURN m.model AS model, m.dimension AS dimension, m.recorded_at AS recorded_at
