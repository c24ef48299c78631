// values/link_about, what an experience or a value is about; entities already linked are passed over
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $entities LIST<STRING>, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (n:Experience|Value {id: $id})
WHERE n.scope = $scope
UNWIND $entities AS entity_id
MATCH (entity:Entity {id: entity_id})
WHERE NOT EXISTS { (n)-[:ABOUT]->(entity) }
CREATE (n)-[:ABOUT {scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(entity)
SET entity.degree = coalesce(entity.degree, 0) + 1, n.degree = coalesce(n.degree, 0) + 1
