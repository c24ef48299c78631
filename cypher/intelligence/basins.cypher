// intelligence/known_concepts, entities of some scopes by id, by look-up key of their name, or by phrases of the full-text
//                              index (aliases; the caller compares them exactly). What was merged gives way to the other;
//                              found are the ids that led to an entity
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $keys LIST<STRING>, $phrases LIST<STRING>, $scopes LIST<STRING>, $limit INTEGER
// columns:    id, found, scope, name, aliases, degree
CYPHER 25 CALL () {
  MATCH (named:Entity)
  WHERE named.id IN $ids AND named.scope IN $scopes
  RETURN named
  UNION
  MATCH (named:Entity)
  WHERE named.scope IN $scopes AND named.name_key IN $keys
  RETURN named
  UNION
  UNWIND $phrases AS phrase
  CALL db.index.fulltext.queryNodes('entity_names', phrase, {limit: $limit}) YIELD node AS named
  WHERE named.scope IN $scopes
  RETURN named
}
MATCH (n:Entity {id: coalesce(named.merged_into, named.id)})
WHERE n.scope IN $scopes AND n.merged_into IS NULL AND n.retracted_at IS NULL
WITH n, collect(named.id) AS found
RETURN n.id AS id, found, n.scope AS scope, n.name AS name, coalesce(n.aliases, []) AS aliases, coalesce(n.degree, 0) AS degree
ORDER BY degree DESC, id
LIMIT 10000

// intelligence/basin_of, the id of a basin by its own id, or by its entity's id: its own before that of one merged into it
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    id
CYPHER 25 CALL () {
  MATCH (b:AttractorBasin {id: $id})
  RETURN b
  UNION
  MATCH (:Entity {id: $id})-[:HAS_BASIN]->(b:AttractorBasin)
  RETURN b
}
WITH b
WHERE b.scope IN $scopes
RETURN b.id AS id
ORDER BY b.entity_id <> $id, id
LIMIT 1

// intelligence/prune_pairs, drop what occurred together once only around a basin that has very many neighbours
// mode:       write
// returns:    one
// parameters: $ids LIST<STRING>, $scope STRING, $least INTEGER, $many INTEGER
// columns:    pruned
CYPHER 25 UNWIND $ids AS id
MATCH (b:AttractorBasin {id: id})
WHERE b.scope = $scope AND COUNT { (b)-[:CO_OCCURS_WITH]-() } > $many
MATCH (b)-[pair:CO_OCCURS_WITH]-(:AttractorBasin)
WHERE pair.count < $least
WITH DISTINCT pair
DELETE pair
RETURN count(*) AS pruned

// intelligence/crowded_basins, basins that have very many neighbours, a thousand of a scope
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $many INTEGER
// columns:    scope, ids
CYPHER 25 MATCH (b:AttractorBasin)
WHERE b.scope IN $scopes AND COUNT { (b)-[:CO_OCCURS_WITH]-() } > $many
WITH b.scope AS scope, b.id AS id
ORDER BY scope, id
RETURN scope, collect(id)[..1000] AS ids
ORDER BY scope

// intelligence/idle_basins, basins that have been idle for a week or more since their last activation or decay
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $before ZONED DATETIME, $after STRING, $states MAP, $limit INTEGER
// columns:    id, entity_id
CYPHER 25 MATCH (b:AttractorBasin)
WHERE b.scope IN $scopes AND b.id > $after AND b.state <> $states.dormant
  AND coalesce(b.decayed_at, b.last_activated_at, b.recorded_at) <= $before
RETURN b.id AS id, b.entity_id AS entity_id
ORDER BY id
LIMIT $limit

// intelligence/decay, take off what each idle week costs, never below the least; a basin at the least sleeps. Run twice it
//                     does once: the weeks already paid for are remembered in decayed_at
// mode:       write
// returns:    one
// parameters: $ids LIST<LIST<STRING>>, $scopes LIST<STRING>, $now ZONED DATETIME, $rate FLOAT, $idle_s INTEGER,
//             $least FLOAT, $decimals INTEGER, $states MAP
// columns:    decayed, asleep
CYPHER 25 UNWIND $ids AS pair
MATCH (entity:Entity {id: pair[1]})
WHERE entity.scope IN $scopes
SET entity.basin_strength = coalesce(entity.basin_strength, $least)
WITH entity, pair
MATCH (b:AttractorBasin {id: pair[0]})
WITH entity, b, coalesce(b.decayed_at, b.last_activated_at, b.recorded_at) AS since
WITH entity, b, since, duration.inSeconds(since, $now).seconds / $idle_s AS weeks
WHERE weeks >= 1
SET b.strength = CASE WHEN b.strength - $rate * weeks < $least THEN $least ELSE round(b.strength - $rate * weeks, $decimals) END
SET b.decayed_at = since + duration({seconds: weeks * $idle_s}),
    b.state = CASE WHEN b.strength <= $least THEN $states.dormant ELSE $states.decaying END,
    b.version = b.version + 1,
    entity.basin_strength = b.strength
RETURN count(b) AS decayed, sum(CASE WHEN b.state = $states.dormant THEN 1 ELSE 0 END) AS asleep

// intelligence/basins, some basins with what they occur together with, most often first
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $neighbours INTEGER
// columns:    basin, co_occurring, neighbour_count
CYPHER 25 UNWIND $ids AS id
MATCH (b:AttractorBasin)
WHERE b.id = id AND b.scope IN $scopes
RETURN b {.id, .scope, .entity_id, .name, .kind, .strength, .activation_count, .activation_history, .state, .stability,
          .depth, .version, .recorded_at, .last_activated_at} AS basin,
  COLLECT {
    MATCH (b)-[pair:CO_OCCURS_WITH]-(other:AttractorBasin)
    WHERE other.scope IN $scopes
    RETURN [other.name, pair.count] ORDER BY pair.count DESC, other.id LIMIT $neighbours
  } AS co_occurring,
  COUNT { (b)-[:CO_OCCURS_WITH]-() } AS neighbour_count
ORDER BY id
LIMIT 1000
