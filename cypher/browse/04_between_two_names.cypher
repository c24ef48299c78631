// Between two names: all shortest ways from one entity to another (change them)
// Look for: several ways of one length are several reasons for an answer; one way through a hub is a weak one.
CYPHER 25
MATCH (a:Entity {name: 'The Truman Show'}), (b:Entity {name: 'Witness'})
MATCH path = ALL SHORTEST (a)-[]-{1,4}(b)
RETURN path
LIMIT 25;
