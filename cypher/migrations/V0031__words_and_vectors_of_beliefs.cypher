// recorded_token is the instant of recording as digits: a full-text query for the past asks for a range of it;
// domain_token holds one word for each domain of the path, so that a filter finds what a ranking would cut off.
CREATE FULLTEXT INDEX belief_text IF NOT EXISTS FOR (n:Belief) ON EACH [n.content, n.scope_token, n.domain_token, n.recorded_token]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CYPHER 25 CREATE VECTOR INDEX belief_embedding IF NOT EXISTS FOR (n:Belief) ON n.embedding WITH [n.scope, n.status, n.overall, n.recorded_at]
OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.similarity_function`: 'cosine', `vector.quantization.type`: 'NONE', `vector.hnsw.m`: 16, `vector.hnsw.ef_construction`: 100}};
