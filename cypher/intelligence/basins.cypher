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
