// Cosine, without quantization (the server's default loses a tenth of recall); scope filters inside the index.
CYPHER 25 CREATE VECTOR INDEX entity_embedding IF NOT EXISTS FOR (n:Entity) ON n.embedding WITH [n.scope, n.kind]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX relationship_type_embedding IF NOT EXISTS FOR (n:RelationshipType) ON n.embedding WITH [n.scope]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX passage_embedding IF NOT EXISTS FOR (n:Passage) ON n.embedding WITH [n.scope]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
