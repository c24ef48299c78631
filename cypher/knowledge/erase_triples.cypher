// knowledge/erase_triples, remove relationships between entities that a source said, a slice at a time
// mode:       write
// returns:    one
// parameters: $source_id STRING, $scope STRING, $limit INTEGER
// columns:    erased
CYPHER 25 MATCH (a:Entity)-[r]->(b:Entity)
WHERE a.scope = $scope AND r.source_id = $source_id
WITH a, r, b, type(r) AS kind LIMIT $limit
SET a.degree = a.degree - 1, b.degree = b.degree - CASE WHEN a = b THEN 0 ELSE 1 END
DELETE r
WITH kind, count(*) AS gone
CALL (kind, gone) {
  MATCH (t:RelationshipType {scope: $scope, name: kind})
  SET t.count = t.count - gone
}
RETURN coalesce(sum(gone), 0) AS erased
