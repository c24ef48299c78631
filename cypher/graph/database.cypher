// graph/components, the server's edition and the Cypher versions that it speaks
// mode:       read
// returns:    many
// parameters: none
// columns:    name, versions, edition
CYPHER 25 CALL dbms.components() YIELD name, versions, edition
RETURN name, versions, edition
ORDER BY name

// graph/claim_embedding_model, record the embedding model of a graph that has none, and tell which one it has
// mode:       write
// returns:    one
// parameters: $model STRING, $dimension INTEGER, $recorded_at ZONED DATETIME
// columns:    model, dimension
CYPHER 25 MERGE (m:EmbeddingModel {id: 'embedding-model'})
ON CREATE SET m.scope = 'public', m.recorded_at = $recorded_at, m.model = $model, m.dimension = $dimension,
              m.version = 1
RETURN m.model AS model, m.dimension AS dimension

// graph/replace_embedding_model, record another model after everything was embedded anew
// mode:       write
// returns:    none
// parameters: $model STRING, $dimension INTEGER, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (m:EmbeddingModel {id: 'embedding-model'})
ON CREATE SET m.scope = 'public'
SET m.model = $model, m.dimension = $dimension, m.recorded_at = $recorded_at, m.version = coalesce(m.version, 0) + 1
