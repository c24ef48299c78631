// graph/register_scope, make a scope known before or while something is written into it
// mode:       write
// returns:    none
// parameters: $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (s:Scope {id: $scope})
ON CREATE SET s.scope = $scope, s.recorded_at = $recorded_at

// intelligence/strengthen, strengthen the basins of the concepts that documents name, each once for a document, and
//                          count what one document names together; entities are locked first, in the order of their ids,
//                          so that writers wait and never lock each other out. A row is {document_id, concepts, together}:
//                          concepts are [entity, basin, activation] ids, together the basins that co-occur, by id
// mode:       write
// returns:    none
// parameters: $entities LIST<STRING>, $rows LIST<MAP>, $scope STRING, $increment FLOAT, $close FLOAT,
//             $least FLOAT, $most FLOAT, $new_basin MAP, $states MAP, $kept INTEGER, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $entities AS id
MATCH (entity:Entity {id: id})
WHERE entity.scope = $scope
SET entity.basin_strength = coalesce(entity.basin_strength, $least)
WITH count(entity) AS locked
UNWIND $rows AS row
CALL (row) {
  UNWIND row.concepts AS given
  MATCH (entity:Entity {id: given[0]})
  WHERE entity.scope = $scope
  MERGE (basin:AttractorBasin {id: given[1]})
  ON CREATE SET basin.scope = $scope, basin.recorded_at = $recorded_at, basin.entity_id = entity.id,
    basin.name = entity.name, basin.kind = coalesce(entity.kind, 'concept'), basin.activation_count = 0,
    basin.activation_history = [], basin.version = 0, basin += $new_basin,
    basin.embedding = entity.embedding, basin.embedding_model = entity.embedding_model
  MERGE (entity)-[:HAS_BASIN]->(basin)
  MERGE (activation:BasinActivation {id: given[2]})
  ON CREATE SET activation.scope = $scope, activation.recorded_at = $recorded_at, activation.basin_id = basin.id,
    activation.document_id = row.document_id, activation.fresh = true
  WITH entity, basin, activation, coalesce(activation.fresh, false) OR basin.strength IS NULL AS fresh
  FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
    SET activation.fresh = null,
        basin.strength = CASE
          WHEN basin.strength IS NULL THEN $least
          WHEN basin.strength + $increment > $most - $close THEN $most
          ELSE basin.strength + $increment
        END
    SET basin.state = CASE
          WHEN basin.strength >= $most THEN $states.saturated
          WHEN coalesce(basin.state, $states.dormant) = $states.dormant THEN $states.activating
          ELSE $states.active
        END,
        basin.activation_count = basin.activation_count + 1,
        basin.activation_history = (basin.activation_history + $recorded_at)[-$kept..],
        basin.last_activated_at = $recorded_at, basin.decayed_at = null, basin.version = basin.version + 1,
        entity.basin_strength = basin.strength
  )
  RETURN collect(CASE WHEN fresh THEN basin.id END) AS strengthened
}
CALL (row, strengthened) {
  UNWIND range(0, size(row.together) - 2) AS i
  UNWIND range(i + 1, size(row.together) - 1) AS j
  WITH row.together[i] AS one, row.together[j] AS other
  WHERE one IN strengthened OR other IN strengthened
  MATCH (a:AttractorBasin {id: one})
  MATCH (b:AttractorBasin {id: other})
  MERGE (a)-[pair:CO_OCCURS_WITH]->(b)
  ON CREATE SET pair.scope = $scope, pair.recorded_at = $recorded_at, pair.first_seen = $recorded_at, pair.count = 0
  SET pair.count = pair.count + 1, pair.last_seen = $recorded_at
}
