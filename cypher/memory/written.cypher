// memory/written, what was written under some write keys
// mode:       read
// returns:    many
// parameters: $keys LIST<STRING>, $scope STRING
// columns:    key, id, content, cluster_id, size, similarity, opened, entities
CYPHER 25 UNWIND $keys AS key
MATCH (m:Memory {write_key: key})-[r:MEMBER_OF]->(c:MemoryCluster)
WHERE m.scope = $scope
RETURN key, m.id AS id, m.content AS content, c.cluster_id AS cluster_id, c.size AS size, r.similarity AS similarity,
  NOT EXISTS { (other:Memory)-[:MEMBER_OF]->(c) WHERE other.sequence < m.sequence } AS opened,
  COLLECT { MATCH (m)-[:MENTIONS]->(e:Entity) RETURN e.id AS entity ORDER BY entity } AS entities
ORDER BY key
LIMIT 10000
