// knowledge/tensions, tensions of some scopes with both beliefs, newest first, after an id
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $ids LIST<STRING>, $statuses LIST<STRING>, $held BOOLEAN, $severity STRING,
//             $entity_id STRING, $belief_id STRING, $after STRING, $limit INTEGER
// columns:    tension
CYPHER 25 MATCH (t:Tension)
WHERE t.scope IN $scopes AND ($ids IS NULL OR t.id IN $ids) AND ($statuses IS NULL OR t.status IN $statuses)
  AND ($severity IS NULL OR t.severity = $severity) AND ($after IS NULL OR t.id < $after)
  AND ($belief_id IS NULL OR $belief_id IN [t.a_id, t.b_id])
MATCH (t)-[:BETWEEN {side: 'a'}]->(a:Belief)
MATCH (t)-[:BETWEEN {side: 'b'}]->(b:Belief)
WHERE a.scope IN $scopes AND b.scope IN $scopes
  AND (NOT $held OR (a.status IN ['active', 'disputed'] AND b.status IN ['active', 'disputed']))
  AND ($entity_id IS NULL OR EXISTS { (a)-[:ABOUT]->(:Entity {id: $entity_id}) }
       OR EXISTS { (b)-[:ABOUT]->(:Entity {id: $entity_id}) })
RETURN t {.*, a: a {.id, .content, .status, .overall}, b: b {.id, .content, .status, .overall}} AS tension
ORDER BY t.id DESC
LIMIT $limit
