// Concepts met while reasoning, linked across documents, and the patterns that several of them make.
CREATE CONSTRAINT thoughtseed_id IF NOT EXISTS FOR (n:ThoughtSeed) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT emergent_pattern_id IF NOT EXISTS FOR (n:EmergentPattern) REQUIRE n.id IS UNIQUE;
CREATE INDEX thoughtseed_scope IF NOT EXISTS FOR (n:ThoughtSeed) ON (n.scope, n.status, n.created_at);
CREATE INDEX thoughtseed_linked IF NOT EXISTS FOR (n:ThoughtSeed) ON (n.linked, n.id);
CREATE INDEX emergent_pattern_scope IF NOT EXISTS FOR (n:EmergentPattern) ON (n.scope);
CYPHER 25 CREATE VECTOR INDEX thoughtseed_embedding IF NOT EXISTS FOR (n:ThoughtSeed) ON n.embedding WITH [n.scope, n.source_doc]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
