// ingest/merge_source, the loaded file as a source; loading the same content again finds it
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $title STRING, $uri STRING, $content_hash STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (source:Source {id: $id})
ON CREATE SET source.scope = $scope, source.kind = 'document', source.title = $title, source.uri = $uri,
              source.content_hash = $content_hash, source.recorded_at = $recorded_at, source.version = 1
