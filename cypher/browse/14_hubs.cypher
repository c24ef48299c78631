// Hubs: the entities with most relationships
// Look for: years, genres and languages. The agents leave relationship types of a hub alone that the question does not name.
CYPHER 25
MATCH (n:Entity)
RETURN n.name AS name, n.scope AS scope, COUNT { (n)--() } AS relationships
ORDER BY relationships DESC, name
LIMIT 50;
