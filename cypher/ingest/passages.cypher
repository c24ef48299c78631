// ingest/owned_documents, whose the documents and sources are that the graph has; a row is [key, source, document]. The
//                         owner is the folder that the source comes from, where that is known, or the document's other source
// mode:       read
// returns:    many
// parameters: $rows LIST<LIST<STRING>>, $scope STRING
// columns:    key, owner
CYPHER 25 UNWIND $rows AS row
OPTIONAL MATCH (source:Source {id: row[1]})
WHERE source.scope = $scope
OPTIONAL MATCH (document:Document {id: row[2]})
WHERE document.scope = $scope
WITH row, source, document
WHERE source IS NOT NULL OR document IS NOT NULL
RETURN row[0] AS key, CASE WHEN document.source_id <> row[1] THEN document.source_id ELSE source.root END AS owner
ORDER BY key

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
// parameters: $rows LIST<MAP>, $scope STRING, $scope_token STRING, $recorded_at ZONED DATETIME,
//             $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    none
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
MATCH (source:Source {id: row.source_id})
MERGE (document:Document {id: row.id})
ON CREATE SET document.scope = $scope, document.recorded_at = $recorded_at, document.given_id = row.given_id
SET document.title = row.title, document.name = row.title, document.content_hash = row.content_hash,
    document.degree = size(row.passages), document.version = coalesce(document.version, 0) + 1,
    document.source_id = row.source_id
MERGE (document)-[:FROM]->(source)
WITH document, row, source
CALL (document, source) {
  MATCH (document)-[before:FROM]->(other)
  WHERE other.id <> source.id
  DELETE before
}
CALL (document, row) {
  UNWIND row.passages AS given
  CREATE (document)-[:HAS_PASSAGE {scope: $scope, recorded_at: $recorded_at, weight: 1.0, source_id: row.source_id}]->
         (passage:Passage {id: given.id, scope: $scope, scope_token: $scope_token, recorded_at: $recorded_at,
                           version: 1, document_id: document.id, ordinal: given.ordinal, title: row.title,
                           text: given.text, source_id: row.source_id, heading: given.heading, page: given.page,
                           degree: size(given.mentions) + size(given.about) + 1})
  WITH passage, given, row
  ORDER BY given.ordinal
  CALL (passage, given, row) {
    UNWIND given.mentions AS mentioned
    MATCH (entity:Entity {id: mentioned})
    CREATE (passage)-[:MENTIONS {scope: $scope, recorded_at: $recorded_at, weight: 1.0, source_id: row.source_id}]->
           (entity)
    SET entity.degree = entity.degree + 1
  }
  CALL (passage, given, row) {
    UNWIND given.about AS about
    MATCH (entity:Entity {id: about[0]})
    CREATE (passage)-[:ABOUT {role: about[1], scope: $scope, recorded_at: $recorded_at, weight: about[2],
                              source_id: row.source_id}]->(entity)
    SET entity.degree = entity.degree + 1
  }
  WITH passage ORDER BY passage.ordinal
  WITH collect(passage) AS passages
  UNWIND range(1, size(passages) - 1) AS i
  WITH passages[i - 1] AS before, passages[i] AS after
  CREATE (before)-[:NEXT {scope: $scope, recorded_at: $recorded_at}]->(after)
}
