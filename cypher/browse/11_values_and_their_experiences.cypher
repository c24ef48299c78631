// Values and their experiences: from what was lived to what was learned
// Look for: a Value reaches its ValueCluster and through it every Experience that it was formed of.
CYPHER 25
MATCH (n:Experience|Value)
WITH n ORDER BY n.recorded_at DESC, n.id LIMIT 100
CALL (n) {
  RETURN n AS shown
  UNION
  MATCH shown = (n)-[:IN_CLUSTER|DERIVED_FROM]->(:ValueCluster) RETURN shown LIMIT 3
  UNION
  MATCH shown = (n)-[:ABOUT]->(:Entity) RETURN shown LIMIT 3
}
RETURN shown
LIMIT 300;
