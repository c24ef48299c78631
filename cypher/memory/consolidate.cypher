// memory/consolidate, close clusters with what was computed of their members, where they are as they were read; a row is
//                     {id, version, sum, prototype, representative, cohesion, members: [[memory id, similarity], ...]}
// mode:       write
// returns:    many
// parameters: $rows LIST<MAP>, $scope STRING, $consolidated_at ZONED DATETIME
// columns:    id
CYPHER 25 UNWIND $rows AS row
MATCH (c:MemoryCluster {id: row.id})
WHERE c.scope = $scope AND c.version = row.version
SET c.sum = row.sum, c.prototype = row.prototype, c.representative_id = row.representative, c.cohesion = row.cohesion,
  c.consolidated = true, c.consolidated_at = coalesce(c.consolidated_at, $consolidated_at),
  c.settled = true, c.version = c.version + 1
WITH c, row
CALL (c, row) {
  UNWIND row.members AS member
  MATCH (:Memory {id: member[0]})-[r:MEMBER_OF]->(c)
  SET r.similarity = member[1]
}
RETURN c.id AS id
ORDER BY id
