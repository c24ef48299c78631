// ingest/document_hashes, the content hashes of those documents that are in the graph
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING
// columns:    id, content_hash
CYPHER 25 UNWIND $ids AS id
MATCH (document:Document {id: id})
WHERE document.scope = $scope
RETURN id, document.content_hash AS content_hash
ORDER BY id

// ingest/drop_passages, take documents' passages out, before they are made anew with other content; degrees are kept
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $scope STRING, $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    none
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $ids AS id
MATCH (document:Document {id: id})-[:HAS_PASSAGE]->(passage:Passage)
WHERE document.scope = $scope
CALL (passage) {
  MATCH (passage)-[:MENTIONS|ABOUT]->(entity:Entity)
  WITH entity, count(*) AS links
  SET entity.degree = entity.degree - links
}
DETACH DELETE passage

// ingest/create_passages, documents with their passages in order, what each mentions and what it is about; runs once in a turn
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scope STRING, $scope_token STRING, $source_id STRING, $recorded_at ZONED DATETIME,
//             $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    none
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
MATCH (source:Source {id: $source_id})
UNWIND $rows AS row
MERGE (document:Document {id: row.id})
ON CREATE SET document.scope = $scope, document.recorded_at = $recorded_at, document.given_id = row.given_id
SET document.title = row.title, document.name = row.title, document.content_hash = row.content_hash,
    document.degree = size(row.passages), document.version = coalesce(document.version, 0) + 1,
    document.source_id = $source_id
MERGE (document)-[:FROM]->(source)
WITH document, row
CALL (document, row) {
  UNWIND row.passages AS given
  CREATE (document)-[:HAS_PASSAGE {scope: $scope, recorded_at: $recorded_at, weight: 1.0, source_id: $source_id}]->
         (passage:Passage {id: given.id, scope: $scope, scope_token: $scope_token, recorded_at: $recorded_at,
                           version: 1, document_id: document.id, ordinal: given.ordinal, title: row.title,
                           text: given.text, source_id: $source_id, degree: size(given.mentions) + size(given.about) + 1})
  WITH passage, given
  ORDER BY given.ordinal
  CALL (passage, given) {
    UNWIND given.mentions AS mentioned
    MATCH (entity:Entity {id: mentioned})
    CREATE (passage)-[:MENTIONS {scope: $scope, recorded_at: $recorded_at, weight: 1.0, source_id: $source_id}]->
           (entity)
    SET entity.degree = entity.degree + 1
  }
  CALL (passage, given) {
    UNWIND given.about AS about
    MATCH (entity:Entity {id: about[0]})
    CREATE (passage)-[:ABOUT {role: about[1], scope: $scope, recorded_at: $recorded_at, weight: about[2],
                              source_id: $source_id}]->(entity)
    SET entity.degree = entity.degree + 1
  }
  WITH passage ORDER BY passage.ordinal
  WITH collect(passage) AS passages
  UNWIND range(1, size(passages) - 1) AS i
  WITH passages[i - 1] AS before, passages[i] AS after
  CREATE (before)-[:NEXT {scope: $scope, recorded_at: $recorded_at}]->(after)
}

// ingest/documents_to_link, documents with the texts of their passages in order, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scope STRING, $after STRING, $limit INTEGER
// columns:    id, title, passages
CYPHER 25 MATCH (document:Document)
USING INDEX document:Document(id)
WHERE document.id > $after AND document.scope = $scope
RETURN document.id AS id, coalesce(document.title, '') AS title, COLLECT {
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
