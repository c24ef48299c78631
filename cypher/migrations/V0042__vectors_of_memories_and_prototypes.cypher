// Cosine, without quantization; the scope filters inside the index, and writes look at open clusters alone.
CYPHER 25 CREATE VECTOR INDEX memory_embedding IF NOT EXISTS FOR (n:Memory) ON n.embedding WITH [n.scope]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX memory_cluster_prototype IF NOT EXISTS FOR (n:MemoryCluster) ON n.prototype WITH [n.scope, n.consolidated]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
