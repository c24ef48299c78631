// knowledge/create_belief, a belief with what it is about and who said it; where the same text is held already nothing
//                          is written and the holder's id comes back. Safe to run twice. Entities are [id, role] in
//                          the order of ids. With $after nothing happens unless that belief was closed for this one
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $live_hash STRING, $belief MAP, $embedding VECTOR, $recorded_at ZONED DATETIME,
//             $entities LIST<LIST<STRING>>, $source MAP, $provenance MAP, $scopes LIST<STRING>, $after STRING
// columns:    id, created
CYPHER 25 WITH 1 AS one
WHERE $after IS NULL OR EXISTS { MATCH (old:Belief {id: $after}) WHERE old.scope = $scope AND old.closed_for = $id }
MERGE (known:Scope {id: $scope})
ON CREATE SET known.scope = $scope, known.recorded_at = $recorded_at
MERGE (source:Source {id: $source.id})
ON CREATE SET source += $source
SET source.stated_at = $recorded_at
MERGE (b:Belief {scope: $scope, live_hash: $live_hash})
ON CREATE SET b += $belief, b.embedding = toFloatList($embedding)
WITH b, source, b.id = $id AS created
CALL (b, source, created) {
  WITH b, source WHERE created
  CALL (b) {
    UNWIND $entities AS given
    MATCH (entity:Entity {id: given[0]}) WHERE entity.scope IN $scopes
    SET entity.linked_at = $recorded_at
    WITH b, entity, given
    WHERE NOT EXISTS { (b)-[:ABOUT]->(entity) }
    CREATE (b)-[:ABOUT {role: given[1], scope: $scope, recorded_at: $recorded_at, weight: 1.0, source_id: $source.id}]->
           (entity)
    SET entity.degree = coalesce(entity.degree, 0) + 1
  }
  WITH b, source
  WHERE NOT EXISTS { (:Provenance {id: $provenance.id}) }
  CREATE (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(source)
  SET p += $provenance
}
RETURN b.id AS id, created
