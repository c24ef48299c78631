// ingest/embed_memories, store the vectors of memories; a cluster whose members all have the model's vectors gets the
//                        sum and the mean of them, and is looked at by the next pass
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:Memory {id: $ids[i]})
WHERE n.scope IN $scopes
SET n.embedding = toFloatList($vectors[i][0]), n.embedding_model = $model
WITH DISTINCT n
MATCH (n)-[:MEMBER_OF]->(c:MemoryCluster)
WITH DISTINCT c
WHERE NOT EXISTS { (m:Memory)-[:MEMBER_OF]->(c) WHERE coalesce(m.embedding_model, '') <> $model }
WITH c, COLLECT { MATCH (m:Memory)-[:MEMBER_OF]->(c) RETURN m.embedding } AS members
WITH c, [i IN range(0, size(members[0]) - 1) | reduce(total = 0.0, m IN members | total + m[i])] AS total
WITH c, total, sqrt(reduce(squares = 0.0, x IN total | squares + x * x)) AS length
SET c.sum = total, c.prototype = [x IN total | CASE WHEN length > 0 THEN x / length ELSE x END],
  c.settled = false, c.version = c.version + 1
