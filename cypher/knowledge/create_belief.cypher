// knowledge/create_belief, a belief with what it is about and who said it; where the same text is held already nothing
//                          is written and the holder's id comes back. Safe to run twice
//                          entities are [id, role] in the order of ids, derived_from are ids of nodes
// mode:       write
// returns:    one
// parameters: $id STRING, $scope STRING, $live_hash STRING, $belief MAP, $embedding VECTOR, $recorded_at ZONED DATETIME,
//             $entities LIST<LIST<STRING>>, $source MAP, $provenance MAP, $derived_from LIST<STRING>,
//             $scopes LIST<STRING>
// columns:    id, created
CYPHER 25 MERGE (known:Scope {id: $scope})
ON CREATE SET known.scope = $scope, known.recorded_at = $recorded_at
WITH 1 AS one
MERGE (b:Belief {scope: $scope, live_hash: $live_hash})
ON CREATE SET b += $belief, b.embedding = toFloatList($embedding)
WITH b, b.id = $id AS created
CALL (b, created) {
  WITH b WHERE created
  CALL (b) {
    UNWIND $entities AS given
    MATCH (entity:Entity {id: given[0]}) WHERE entity.scope IN $scopes
    MERGE (b)-[about:ABOUT]->(entity)
    ON CREATE SET about.role = given[1], about.scope = $scope, about.recorded_at = $recorded_at, about.weight = 1.0,
                  about.source_id = $source.id, entity.degree = coalesce(entity.degree, 0) + 1,
                  b.degree = b.degree + 1
  }
  CALL (b) {
    UNWIND $derived_from AS parent
    MATCH (origin:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern|ThoughtSeed|Evidence|Run {id: parent})
    WHERE origin.scope IN $scopes
    MERGE (b)-[derived:DERIVED_FROM]->(origin)
    ON CREATE SET derived.scope = $scope, derived.recorded_at = $recorded_at, derived.weight = 1.0,
                  origin.degree = coalesce(origin.degree, 0) + 1, b.degree = b.degree + 1
  }
  MERGE (source:Source {id: $source.id})
  ON CREATE SET source += $source
  MERGE (p:Provenance {id: $provenance.id})
  ON CREATE SET p += $provenance
  MERGE (b)-[:HAS_PROVENANCE]->(p)
  MERGE (p)-[:FROM]->(source)
}
RETURN b.id AS id, created
