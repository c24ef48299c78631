// knowledge/source_of_content, the source with the same content
// mode:       read
// returns:    maybe
// parameters: $content_hash STRING, $scope STRING
// columns:    id
CYPHER 25 MATCH (s:Source)
WHERE s.scope = $scope AND s.content_hash = $content_hash
RETURN s.id AS id
ORDER BY id
LIMIT 1
