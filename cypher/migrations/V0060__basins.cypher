// How firmly a concept is known: one basin for an entity, and a mark for each document that strengthened it.
CREATE CONSTRAINT attractor_basin_id IF NOT EXISTS FOR (n:AttractorBasin) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT basin_activation_id IF NOT EXISTS FOR (n:BasinActivation) REQUIRE n.id IS UNIQUE;
CREATE INDEX attractor_basin_scope IF NOT EXISTS FOR (n:AttractorBasin) ON (n.scope, n.state);
CREATE INDEX basin_activation_scope IF NOT EXISTS FOR (n:BasinActivation) ON (n.scope);
CYPHER 25 CREATE VECTOR INDEX attractor_basin_embedding IF NOT EXISTS FOR (n:AttractorBasin) ON n.embedding WITH [n.scope]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
