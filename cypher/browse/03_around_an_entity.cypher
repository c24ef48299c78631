// Around an entity: two hops from one name (change it)
// Look for: the words on the relationships are your own graph's; double-click a node to go one hop further.
CYPHER 25
MATCH near = (:Entity {name: 'The Truman Show'})-[]-(middle:Entity)
WITH near, middle ORDER BY middle.name, middle.id LIMIT 25
CALL (middle) {
  MATCH far = (middle)-[]-(other:Entity)
  WHERE COUNT { (middle)--() } < 200
  RETURN far ORDER BY other.name, other.id LIMIT 8
}
RETURN near, far
LIMIT 200;
