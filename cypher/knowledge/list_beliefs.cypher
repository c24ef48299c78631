// knowledge/list_beliefs, beliefs of some scopes, newest first, after an id
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $statuses LIST<STRING>, $entity_id STRING, $session_id STRING, $after STRING,
//             $limit INTEGER
// columns:    belief, entities
CYPHER 25 MATCH (b:Belief)
WHERE b.scope IN $scopes AND b.status IN $statuses AND ($after IS NULL OR b.id < $after)
  AND ($session_id IS NULL OR b.session_id = $session_id)
  AND ($entity_id IS NULL OR EXISTS { (b)-[:ABOUT]->(:Entity {id: $entity_id}) })
WITH b
ORDER BY b.id DESC
LIMIT $limit
RETURN b {.*, embedding: NULL} AS belief,
  COLLECT { MATCH (b)-[about:ABOUT]->(e:Entity) WHERE e.scope IN $scopes
            RETURN [e.id, e.name, e.kind, about.role] ORDER BY about.role DESC, e.name, e.id LIMIT 100 } AS entities
ORDER BY b.id DESC
