// values/open_experience, the experience that is open for a session in a scope
// mode:       read
// returns:    maybe
// parameters: $open_key STRING, $scope STRING
// columns:    entry, entities
CYPHER 25 MATCH (n:Experience {open_key: $open_key})
WHERE n.scope = $scope
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities

// values/experience, one experience and what it is about
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    entry, entities
CYPHER 25 MATCH (n:Experience {id: $id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.retracted_at IS NULL
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities

// values/experiences, experiences newest first, older than a given id; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $domain STRING, $strategy STRING, $outcome STRING, $session_id STRING,
//             $before STRING, $limit INTEGER
// columns:    entry, entities
CYPHER 25 MATCH (n:Experience)
WHERE n.scope IN $scopes AND n.retracted_at IS NULL AND n.id < coalesce($before, '\uFFFF')
  AND ($domain IS NULL OR n.domain = $domain) AND ($strategy IS NULL OR n.strategy = $strategy)
  AND ($outcome IS NULL OR n.outcome = $outcome) AND ($session_id IS NULL OR n.session_id = $session_id)
WITH n ORDER BY n.id DESC LIMIT $limit
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities
ORDER BY entry.id DESC

// values/start_experience, a new experience; a second open one for the same open_key breaks a constraint
// mode:       write
// returns:    none
// parameters: $id STRING, $properties MAP
// columns:    none
CYPHER 25 MERGE (n:Experience {id: $id})
ON CREATE SET n += $properties

// values/change_experience, set properties of an experience that is open and still of the version that was read;
//                           no row: it has moved on. The change's id makes a second run of the same change do the same
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $version INTEGER, $change_id STRING, $changes MAP, $now ZONED DATETIME
// columns:    version
CYPHER 25 MATCH (n:Experience {id: $id})
WHERE n.scope = $scope
SET n.locked_at = $now
WITH n
WHERE (n.open_key IS NOT NULL AND n.version = $version) OR n.change_id = $change_id
SET n += $changes, n.change_id = $change_id, n.version = $version + 1
RETURN n.version AS version

// values/embed_experience, the vectors of an experience on its axes, after the change that made their texts
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $change_id STRING, $model STRING, $full VECTOR, $strategy VECTOR,
//             $surprise VECTOR, $root_cause VECTOR
// columns:    none
CYPHER 25 MATCH (n:Experience {id: $id})
WHERE n.scope = $scope AND n.change_id = $change_id
SET n.embedding = toFloatList($full), n.strategy_embedding = toFloatList($strategy),
    n.surprise_embedding = CASE WHEN $surprise IS NULL THEN NULL ELSE toFloatList($surprise) END,
    n.root_cause_embedding = CASE WHEN $root_cause IS NULL THEN NULL ELSE toFloatList($root_cause) END,
    n.embedding_model = $model

// values/link_about, what an experience or a value is about; entities already linked are passed over. With the id of a
//                    change only after that change
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $change_id STRING, $entities LIST<STRING>, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (n:Experience|Value {id: $id})
WHERE n.scope = $scope AND ($change_id IS NULL OR n.change_id = $change_id)
UNWIND $entities AS entity_id
MATCH (entity:Entity {id: entity_id})
WHERE NOT EXISTS { (n)-[:ABOUT]->(entity) }
CREATE (n)-[:ABOUT {scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(entity)
SET entity.degree = coalesce(entity.degree, 0) + 1, n.degree = coalesce(n.degree, 0) + 1

// values/search[{{axis}}], resolved experiences near a vector on this axis; a range from '' to the last character narrows nothing
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $scopes LIST<STRING>, $domain_from STRING, $domain_to STRING, $strategy_from STRING,
//             $strategy_to STRING, $outcome_from STRING, $outcome_to STRING, $limit INTEGER
// columns:    entry, entities, similarity
// kinds:      axis: full, strategy, surprise, root_cause
CYPHER 25 MATCH (n:Experience)
SEARCH n IN (VECTOR INDEX experience_{{axis}} FOR $embedding
  WHERE n.scope IN $scopes AND n.domain >= $domain_from AND n.domain <= $domain_to
    AND n.strategy >= $strategy_from AND n.strategy <= $strategy_to
    AND n.outcome >= $outcome_from AND n.outcome <= $outcome_to
  LIMIT $limit) SCORE AS score
WITH n, 2 * score - 1 AS similarity
WHERE n.retracted_at IS NULL
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities, similarity
ORDER BY similarity DESC, entry.id
