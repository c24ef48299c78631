// Patterns are found by words and by meaning; scope and status filter inside the vector index.
CREATE FULLTEXT INDEX pattern_text IF NOT EXISTS FOR (n:Pattern) ON EACH [n.description, n.scope_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CYPHER 25 CREATE VECTOR INDEX pattern_embedding IF NOT EXISTS FOR (n:Pattern) ON n.embedding WITH [n.scope, n.status]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
