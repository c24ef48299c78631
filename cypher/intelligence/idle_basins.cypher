// intelligence/idle_basins, basins that have been idle for a week or more since their last activation or decay
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $before ZONED DATETIME, $after STRING, $limit INTEGER
// columns:    id, entity_id
CYPHER 25 MATCH (b:AttractorBasin)
WHERE b.scope IN $scopes AND b.id > $after AND b.state <> 'DORMANT'
  AND coalesce(b.decayed_at, b.last_activated_at, b.recorded_at) <= $before
RETURN b.id AS id, b.entity_id AS entity_id
ORDER BY id
LIMIT $limit
