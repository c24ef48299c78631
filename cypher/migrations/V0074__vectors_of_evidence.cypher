// Evidence is found by meaning: what a statement said in its own words, and what answers cited. Scope filters inside.
CYPHER 25 CREATE VECTOR INDEX evidence_embedding IF NOT EXISTS FOR (n:Evidence) ON n.embedding WITH [n.scope]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
