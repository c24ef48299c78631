// reasoning/some_entities, a few entities to rehearse with: the database plans its statements before the first question
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    id, name
CYPHER 25 MATCH (n:Entity)
WHERE n.scope IN $scopes AND n.canonical_key IS NOT NULL
RETURN n.id AS id, n.name AS name
ORDER BY id
LIMIT $limit
