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
//                       sum and the mean of them, and is looked at by the next pass. Every writer of clusters locks the
//                       counter of their scope first: else a sum would lack what joins meanwhile
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<LIST<VECTOR>>, $scopes LIST<STRING>, $model STRING
// columns:    none
CYPHER 25 CALL () {
  UNWIND $ids AS id
  MATCH (n:Memory {id: id})
  WHERE n.scope IN $scopes
  WITH DISTINCT n.scope AS scope ORDER BY scope
  MATCH (place:Counter {id: scope + '/memory'})
  SET place.value = place.value
  RETURN count(place) AS locked
}
UNWIND range(0, size($ids) - 1) AS i
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

// ingest/documents_to_link, documents with the texts of their passages in order, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scope STRING, $after STRING, $limit INTEGER
// columns:    id, title, given_id, passages
CYPHER 25 MATCH (document:Document)
USING INDEX document:Document(id)
WHERE document.id > $after AND document.scope = $scope
RETURN document.id AS id, coalesce(document.title, '') AS title, coalesce(document.given_id, '') AS given_id, COLLECT {
  MATCH (document)-[:HAS_PASSAGE]->(passage:Passage)
  RETURN [passage.id, passage.text] AS one ORDER BY passage.ordinal
} AS passages
ORDER BY id
LIMIT $limit

// ingest/texts_to_link[{{label}}], texts of this label in the order of their ids
// mode:       read
// returns:    many
// parameters: $scope STRING, $after STRING, $limit INTEGER
// columns:    id, text
// kinds:      label property: Memory content, Belief content, Experience content, Value text, Insight content
CYPHER 25 MATCH (n:{{label}})
USING INDEX n:{{label}}(id)
WHERE n.id > $after AND n.scope = $scope AND n.{{property}} IS NOT NULL
RETURN n.id AS id, n.{{property}} AS text
ORDER BY id
LIMIT $limit

// ingest/known_ids, which of these entities a scope has
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING
// columns:    id
CYPHER 25 UNWIND $ids AS id
MATCH (entity:Entity {id: id})
WHERE entity.scope = $scope
RETURN id

// ingest/link_passages, link passages to what they mention and are about; what is linked stays as it is. A row is
//                       [id, [mentioned], [[about, role, weight], ...]]; an entity that was merged gives way to the other
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $recorded_at ZONED DATETIME
// columns:    made
CYPHER 25 UNWIND $rows AS row
MATCH (passage:Passage {id: row[0]})
WHERE passage.scope = $scope
CALL (passage, row) {
  UNWIND row[1] AS id
  MATCH (named:Entity {id: id})
  MATCH (entity:Entity {id: coalesce(named.merged_into, named.id)})
  WITH DISTINCT passage, entity
  WHERE NOT EXISTS { (passage)-[:MENTIONS]->(entity) }
  CREATE (passage)-[:MENTIONS {scope: $scope, recorded_at: $recorded_at, weight: 1.0, source_id: passage.source_id}]->
         (entity)
  SET entity.degree = coalesce(entity.degree, 0) + 1, passage.degree = coalesce(passage.degree, 0) + 1
  RETURN count(*) AS mentions
}
CALL (passage, row) {
  UNWIND row[2] AS about
  MATCH (named:Entity {id: about[0]})
  MATCH (entity:Entity {id: coalesce(named.merged_into, named.id)})
  WITH passage, entity, head(collect(about)) AS about
  WHERE NOT EXISTS { (passage)-[:ABOUT]->(entity) }
  CREATE (passage)-[:ABOUT {role: about[1], scope: $scope, recorded_at: $recorded_at, weight: about[2],
                            source_id: passage.source_id}]->(entity)
  SET entity.degree = coalesce(entity.degree, 0) + 1, passage.degree = coalesce(passage.degree, 0) + 1
  RETURN count(*) AS abouts
}
RETURN coalesce(sum(mentions + abouts), 0) AS made

// ingest/link_texts[{{label}}], link texts of this label to what they name; what is linked stays as it is. A row is
//                              [id, [entity]]
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $role STRING, $recorded_at ZONED DATETIME
// columns:    made
// kinds:      label type: Memory MENTIONS, Belief ABOUT, Experience ABOUT, Value ABOUT, Insight ABOUT
CYPHER 25 UNWIND $rows AS row
MATCH (n:{{label}} {id: row[0]})
WHERE n.scope = $scope
UNWIND row[1] AS id
MATCH (entity:Entity {id: id})
WITH DISTINCT n, entity
WHERE NOT EXISTS { (n)-[:MENTIONS|ABOUT]->(entity) }
CREATE (n)-[:{{type}} {role: $role, scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(entity)
SET entity.degree = coalesce(entity.degree, 0) + 1, n.degree = coalesce(n.degree, 0) + 1
RETURN count(*) AS made
