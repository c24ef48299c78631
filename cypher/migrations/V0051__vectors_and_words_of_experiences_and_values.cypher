// One vector index for each axis of an experience; the filters are those of a search. Cosine, without quantization.
CYPHER 25 CREATE VECTOR INDEX experience_full IF NOT EXISTS FOR (n:Experience) ON n.embedding WITH [n.scope, n.domain, n.strategy, n.outcome]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX experience_strategy IF NOT EXISTS FOR (n:Experience) ON n.strategy_embedding WITH [n.scope, n.domain, n.strategy, n.outcome]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX experience_surprise IF NOT EXISTS FOR (n:Experience) ON n.surprise_embedding WITH [n.scope, n.domain, n.strategy, n.outcome]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX experience_root_cause IF NOT EXISTS FOR (n:Experience) ON n.root_cause_embedding WITH [n.scope, n.domain, n.strategy, n.outcome]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX value_cluster_centroid IF NOT EXISTS FOR (n:ValueCluster) ON n.centroid WITH [n.scope, n.axis]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CYPHER 25 CREATE VECTOR INDEX value_embedding IF NOT EXISTS FOR (n:Value) ON n.embedding WITH [n.scope, n.axis]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
CREATE FULLTEXT INDEX value_text IF NOT EXISTS FOR (n:Value) ON EACH [n.text, n.scope_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
