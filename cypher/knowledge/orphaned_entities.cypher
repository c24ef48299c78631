// knowledge/orphaned_entities, entities that only some nodes speak of; what merely visited or asked is no tie
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    label, id, name, runs
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
MATCH (n)-[:ABOUT|MENTIONS]->(e:Entity)
WHERE e.scope = n.scope
WITH DISTINCT e
WHERE NOT EXISTS { MATCH (e)-[r]-(o) WHERE NOT o.id IN $ids AND NOT type(r) IN ['VISITED', 'ASKED_FROM', 'MAYBE_SAME_AS', 'HAS_BASIN'] }
RETURN 'Entity' AS label, e.id AS id, e.name AS name,
  COLLECT { MATCH (run:Run)-[:ASKED_FROM]->(e) RETURN run.id ORDER BY run.id } AS runs
ORDER BY id
LIMIT 10000
