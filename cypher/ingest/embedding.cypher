// ingest/unembedded_count[{{label}}], how many nodes of this label lack a vector of this model
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>, $model STRING
// columns:    missing
// kinds:      label: RelationshipType, Entity, Passage, ThoughtSeed, Belief, Pattern, Value, Insight, Memory, Evidence
CYPHER 25 MATCH (n:{{label}})
WHERE n.scope IN $scopes AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN count(n) AS missing

// ingest/unembedded_count[Experience], how many resolved experiences lack vectors of this model
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>, $model STRING
// columns:    missing
CYPHER 25 MATCH (n:Experience)
WHERE n.scope IN $scopes AND n.open_key IS NULL AND n.content IS NOT NULL
  AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN count(n) AS missing

// ingest/unembedded[{{label}}], nodes of this label without a vector of this model, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $model STRING, $after STRING, $limit INTEGER
// columns:    id, texts
// kinds:      label property: Entity name, ThoughtSeed concept, Belief content, Pattern description, Value text,
//             Insight content, Memory content, Evidence text
CYPHER 25 MATCH (n:{{label}})
USING INDEX n:{{label}}(id)
WHERE n.id > $after AND n.scope IN $scopes AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN n.id AS id, [n.{{property}}] AS texts
ORDER BY id
LIMIT $limit

// ingest/unembedded[RelationshipType], relationship types without a vector of this model, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $model STRING, $after STRING, $limit INTEGER
// columns:    id, texts
CYPHER 25 MATCH (n:RelationshipType)
USING INDEX n:RelationshipType(id)
WHERE n.id > $after AND n.scope IN $scopes AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN n.id AS id, [n.text, n.inverse_text] AS texts
ORDER BY id
LIMIT $limit

// ingest/unembedded[Passage], passages without a vector of this model, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $model STRING, $after STRING, $limit INTEGER
// columns:    id, texts
CYPHER 25 MATCH (n:Passage)
USING INDEX n:Passage(id)
WHERE n.id > $after AND n.scope IN $scopes AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN n.id AS id, [CASE WHEN n.title = '' THEN n.text ELSE n.title + '. ' + n.text END] AS texts
ORDER BY id
LIMIT $limit

// ingest/unembedded[Experience], resolved experiences without vectors of this model, in the order of their ids: the texts
//                                of two axes, or of four where it was falsified
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $model STRING, $after STRING, $limit INTEGER
// columns:    id, texts
CYPHER 25 MATCH (n:Experience)
USING INDEX n:Experience(id)
WHERE n.id > $after AND n.scope IN $scopes AND n.open_key IS NULL AND n.content IS NOT NULL
  AND (n.embedding IS NULL OR coalesce(n.embedding_model, '') <> $model)
RETURN n.id AS id, [text IN [n.content, n.strategy_text, n.surprise_text, n.root_cause_text] WHERE text IS NOT NULL] AS texts
ORDER BY id
LIMIT $limit

// ingest/embed[{{label}}], store the vectors of nodes of this label; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
// kinds:      label: Passage, ThoughtSeed, Belief, Pattern, Value, Insight, Evidence
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:{{label}} {id: $ids[i]})
WHERE n.scope IN $scopes
SET n.embedding = toFloatList($vectors[i][0]), n.embedding_model = $model

// ingest/embed[RelationshipType], store the vectors of relationship types; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:RelationshipType {id: $ids[i]})
WHERE n.scope IN $scopes
SET n.embedding = toFloatList($vectors[i][0]), n.inverse_embedding = toFloatList($vectors[i][1]), n.embedding_model = $model

// ingest/embed[Entity], store the vectors of entities and of their basins; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:Entity {id: $ids[i]})
WHERE n.scope IN $scopes
SET n.embedding = toFloatList($vectors[i][0]), n.embedding_model = $model
WITH n
MATCH (n)-[:HAS_BASIN]->(b:AttractorBasin)
SET b.embedding = n.embedding, b.embedding_model = $model

// ingest/embed[Experience], store the vectors of experiences, two or four for each; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:Experience {id: $ids[i]})
WHERE n.scope IN $scopes
SET n.embedding = toFloatList($vectors[i][0]), n.strategy_embedding = toFloatList($vectors[i][1]),
    n.surprise_embedding = CASE WHEN size($vectors[i]) > 2 THEN toFloatList($vectors[i][2]) END,
    n.root_cause_embedding = CASE WHEN size($vectors[i]) > 3 THEN toFloatList($vectors[i][3]) END,
    n.embedding_model = $model

// ingest/embed[Memory], store the vectors of memories; a cluster whose members all have the model's vectors gets the
//                       sum and the mean of them, and is looked at by the next pass
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
