// evaluation/export_page, one page of entities in the order of their ids, with the relationships that leave them, how
//             firmly each is known, and the concepts that documents name together with it
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $relations LIST<STRING>, $after STRING, $limit INTEGER, $dimension INTEGER,
//             $pairs INTEGER, $now ZONED DATETIME
// columns:    id, name, ends, basin, together, embedding
CYPHER 25 MATCH (n:Entity)
WHERE n.id > $after AND n.scope IN $scopes AND n.archived_at IS NULL AND n.retracted_at IS NULL
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id, n.name AS name,
  COLLECT {
    MATCH (n)-[r]->(m:Entity)
    WHERE type(r) IN $relations AND m.scope IN $scopes AND (r.scope IS NULL OR r.scope IN $scopes)
      AND r.retracted_at IS NULL AND m.archived_at IS NULL AND m.retracted_at IS NULL
      AND (r.valid_from IS NULL OR r.valid_from <= $now) AND (r.valid_until IS NULL OR r.valid_until > $now)
    RETURN DISTINCT [type(r), m.id] AS pair ORDER BY pair
  } AS ends,
  n.basin_strength AS basin,
  CASE WHEN n.basin_strength IS NULL THEN [] ELSE COLLECT {
    MATCH (n)-[:HAS_BASIN]->(:AttractorBasin)-[pair:CO_OCCURS_WITH]-(other:AttractorBasin)
    WHERE other.scope IN $scopes
    RETURN [other.entity_id, pair.count] ORDER BY pair.count DESC, other.entity_id LIMIT $pairs
  } END AS together,
  CASE WHEN size(n.embedding) = $dimension THEN vector(n.embedding, $dimension, FLOAT32) END AS embedding
ORDER BY id
