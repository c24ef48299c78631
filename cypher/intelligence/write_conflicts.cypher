// intelligence/agent_writes, an agent's absolute writes, all or none: what is written is locked first, in the order of
//                            ids; a contradiction lets nothing be written; a version that moved is merged by rule (the
//                            larger strength). Every conflict is recorded in the same transaction. Who only looks
//                            writes nothing but these
// mode:       write
// returns:    one
// parameters: $locks LIST<STRING>, $strengths LIST<MAP>, $relations LIST<MAP>, $creations LIST<MAP>, $scope STRING,
//             $agent STRING, $now ZONED DATETIME, $source STRING, $unresolved STRING, $merged STRING,
//             $kinds MAP, $attempts INTEGER, $made LIST<STRING>, $token STRING, $least FLOAT, $most FLOAT,
//             $new_basin MAP, $states MAP, $look BOOLEAN
// columns:    clear, outcomes
CYPHER 25 CALL () {
  UNWIND $locks AS id
  MATCH (n:Entity {id: id})
  WHERE n.scope = $scope
  SET n.version = coalesce(n.version, 0)
  RETURN count(n) AS locked
}
CALL (locked) {
  UNWIND $relations AS row
  MATCH (:Entity {id: row.cause})-[r]->(:Entity {id: row.effect})
  WHERE type(r) IN row.opposite AND r.scope = $scope AND r.retracted_at IS NULL
    AND (r.valid_until IS NULL OR r.valid_until > $now)
    AND coalesce(r.version, 1) <> coalesce(row.version, 0)
  RETURN collect({place: row.place, conflict_id: row.conflict_id, kind: $kinds.relation,
                  resolution: $unresolved, subject: row.cause + ' ' + row.effect, version: coalesce(r.version, 1),
                  detail: 'stored ' + type(r) + ', written ' + row.type}) AS contradictions
}
WITH contradictions, size(contradictions) = 0 AND NOT $look AS clear
CALL (clear) {
  UNWIND CASE WHEN clear THEN $strengths ELSE [] END AS row
  MATCH (entity:Entity {id: row.entity})
  WHERE entity.scope = $scope
  MERGE (basin:AttractorBasin {id: row.basin})
  ON CREATE SET basin.scope = $scope, basin.recorded_at = $now, basin.entity_id = entity.id, basin.name = entity.name,
    basin.kind = coalesce(entity.kind, 'concept'), basin.activation_count = 0, basin.activation_history = [],
    basin.version = 0, basin.state = $states.dormant, basin.strength = $least, basin += $new_basin,
    basin.embedding = entity.embedding, basin.embedding_model = entity.embedding_model
  MERGE (entity)-[:HAS_BASIN]->(basin)
  WITH entity, basin, row, basin.version = row.version AS seen, basin.strength AS before
  SET basin.strength = CASE WHEN seen OR row.strength > before THEN row.strength ELSE before END,
      basin.version = basin.version + 1
  SET entity.basin_strength = basin.strength,
      basin.decayed_at = $now,
      basin.state = CASE
        WHEN basin.strength >= $most THEN $states.saturated
        WHEN basin.strength <= $least THEN $states.dormant
        WHEN basin.state = $states.dormant THEN $states.activating
        WHEN basin.state = $states.saturated THEN $states.active
        ELSE basin.state
      END
  RETURN collect({place: row.place, version: basin.version, conflict_id: CASE WHEN NOT seen THEN row.conflict_id END,
                  kind: $kinds.strength, resolution: $merged, subject: basin.id,
                  detail: 'stored ' + toString(before) + ', written ' + toString(row.strength)}) AS strengths
}
CALL (clear) {
  UNWIND CASE WHEN clear THEN $relations ELSE [] END AS row
  MATCH (cause:Entity {id: row.cause})
  MATCH (effect:Entity {id: row.effect})
  WHERE cause.scope = $scope AND effect.scope = $scope
  CALL (cause, effect, row) {
    MATCH (cause)-[old]->(effect)
    WHERE type(old) IN row.opposite AND old.scope = $scope AND old.retracted_at IS NULL
      AND (old.valid_until IS NULL OR old.valid_until > $now)
    SET old.retracted_at = $now, old.version = coalesce(old.version, 1) + 1
    RETURN max(old.version) AS replaced
  }
  // what was taken back or has ended stays as it was: questions about the past are answered from it
  CALL (cause, effect, row) {
    MATCH (cause)-[known:$(row.type) {scope: $scope}]->(effect)
    WITH known ORDER BY known.recorded_at
    RETURN max(coalesce(known.version, 1)) AS last, head(collect(CASE WHEN known.retracted_at IS NULL
      AND (known.valid_from IS NULL OR known.valid_from <= $now)
      AND (known.valid_until IS NULL OR known.valid_until > $now) THEN known END)) AS held
  }
  CALL (cause, effect, row, held) {
    WITH cause, effect, row, held WHERE held IS NULL
    CREATE (cause)-[r:$(row.type) {scope: $scope, recorded_at: $now, source_id: $source, version: 0}]->(effect)
    RETURN r
    UNION
    WITH held WHERE held IS NOT NULL
    RETURN held AS r
  }
  WITH cause, effect, row, r, held IS NULL AS fresh, coalesce(r.strength, r.weight) AS before,
    CASE WHEN replaced > last OR last IS NULL THEN coalesce(replaced, 0) ELSE last END AS replaced
  WITH cause, effect, row, r, fresh, before, replaced,
    fresh OR before = row.strength OR coalesce(r.version, 1) = coalesce(row.version, 0) AS seen
  SET r.strength = CASE WHEN seen OR row.strength > before THEN row.strength ELSE before END,
      r.weight = CASE WHEN seen OR row.strength > before THEN row.strength ELSE before END,
      r.version = CASE WHEN coalesce(r.version, 1) > replaced THEN coalesce(r.version, 1) ELSE replaced END + 1
  FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
    SET cause.degree = coalesce(cause.degree, 0) + 1, effect.degree = coalesce(effect.degree, 0) + 1
  )
  WITH row, r, seen, before, fresh
  CALL (row, fresh) {
    MATCH (type:RelationshipType {scope: $scope, name: row.type})
    SET type.count = type.count + CASE WHEN fresh THEN 1 ELSE 0 END, type.is_causal = true
  }
  RETURN collect({place: row.place, version: r.version, conflict_id: CASE WHEN NOT seen THEN row.conflict_id END,
                  kind: $kinds.relation, resolution: $merged, subject: row.cause + ' ' + row.effect,
                  detail: 'stored ' + toString(before) + ', written ' + toString(row.strength)}) AS related
}
CALL (clear) {
  UNWIND CASE WHEN clear THEN $creations ELSE [] END AS row
  MATCH (n:Entity {id: row.entity})
  WHERE n.scope = $scope
  RETURN collect({place: row.place, version: coalesce(n.version, 1),
                  conflict_id: CASE WHEN coalesce(n.made_by, '') <> $token THEN row.conflict_id END,
                  kind: $kinds.creation, resolution: $merged, subject: n.id,
                  detail: 'made before, by ' + coalesce(n.made_by, 'a load')}) AS created
}
CALL (clear) {
  UNWIND CASE WHEN clear THEN [] ELSE $made END AS id
  MATCH (n:Entity {id: id})
  WHERE n.scope = $scope AND n.made_by = $token AND n.recorded_at = $now AND NOT EXISTS { (n)--() }
  DELETE n
}
WITH clear, contradictions + strengths + related + created AS outcomes
CALL (outcomes) {
  UNWIND outcomes AS outcome
  WITH outcome WHERE outcome.conflict_id IS NOT NULL
  MERGE (conflict:WriteConflict {id: outcome.conflict_id})
  ON CREATE SET conflict.scope = $scope, conflict.recorded_at = $now, conflict.agent = $agent,
    conflict.kind = outcome.kind, conflict.subject = outcome.subject, conflict.detail = outcome.detail
  SET conflict.resolution = outcome.resolution, conflict.attempts = $attempts
}
RETURN clear, outcomes

// intelligence/conflicts, write conflicts, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    conflict
CYPHER 25 MATCH (c:WriteConflict)
WHERE c.scope IN $scopes
RETURN c {.id, .scope, .kind, .resolution, .agent, .subject, .detail, .attempts, .recorded_at} AS conflict
ORDER BY c.id DESC
LIMIT $limit

// intelligence/claim_concepts, note who makes concepts that nobody made before
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $token STRING, $scope STRING
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE n.scope = $scope AND n.made_by IS NULL
SET n.made_by = $token
