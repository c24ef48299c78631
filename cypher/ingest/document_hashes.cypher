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
