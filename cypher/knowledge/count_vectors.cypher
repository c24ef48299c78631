// knowledge/count_vectors, how many embeddings some nodes ([label, id]) have
// mode:       read
// returns:    one
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    vectors
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
RETURN coalesce(sum(size([key IN keys(n) WHERE key ENDS WITH 'embedding'])), 0) AS vectors
