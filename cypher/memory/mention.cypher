// memory/mention, link memories to the entities that they mention, in the order of the entities' ids
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<STRING>>, $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (memory:Memory {id: row[1]}) WHERE memory.scope = $scope
MATCH (entity:Entity {id: row[0]})
CREATE (memory)-[:MENTIONS {scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(entity)
SET entity.degree = coalesce(entity.degree, 0) + 1, memory.degree = memory.degree + 1
