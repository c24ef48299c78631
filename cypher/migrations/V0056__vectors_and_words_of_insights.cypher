// Quarantined insights are left out inside the vector index. Full text requires the scope token in every query.
CYPHER 25 CREATE VECTOR INDEX insight_embedding IF NOT EXISTS FOR (n:Insight) ON n.embedding WITH [n.scope, n.quarantined, n.category]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CREATE FULLTEXT INDEX insight_text IF NOT EXISTS FOR (n:Insight) ON EACH [n.content, n.scope_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
