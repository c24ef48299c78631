// evaluation/export_page, one page of entities in the order of their ids, with the relationships that leave them
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $relations LIST<STRING>, $after STRING, $limit INTEGER, $dimension INTEGER
// columns:    id, name, ends, embedding
CYPHER 25 MATCH (n:Entity)
WHERE n.id > $after AND n.scope IN $scopes
WITH n ORDER BY n.id LIMIT $limit
RETURN n.id AS id, n.name AS name,
  COLLECT {
    MATCH (n)-[r]->(m:Entity)
    WHERE type(r) IN $relations AND m.scope IN $scopes AND (r.scope IS NULL OR r.scope IN $scopes)
      AND r.retracted_at IS NULL
    RETURN [type(r), m.id] AS pair ORDER BY pair
  } AS ends,
  CASE WHEN size(n.embedding) = $dimension THEN vector(n.embedding, $dimension, FLOAT32) END AS embedding
ORDER BY id
