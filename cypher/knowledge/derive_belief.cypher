// knowledge/derive_belief, tie a belief to what it was derived from; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $parents LIST<STRING>, $scopes LIST<STRING>, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (b:Belief {id: $id})
WHERE b.scope = $scope
SET b.stated_at = $recorded_at
WITH b
UNWIND $parents AS parent
MATCH (origin:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: parent})
WHERE origin.scope IN $scopes
SET origin.linked_at = $recorded_at
WITH b, origin
WHERE NOT EXISTS { (b)-[:DERIVED_FROM]->(origin) }
CREATE (b)-[:DERIVED_FROM {scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(origin)
SET origin.degree = coalesce(origin.degree, 0) + 1, b.degree = b.degree + 1
