// Insights and topics: what was learned, about what, and what contradicts it
// Look for: two insights that CONFLICTS_WITH joins under one Topic; SUPERSEDES leads from the newer to the older.
CYPHER 25
MATCH (n:Insight)
WITH n ORDER BY n.recorded_at DESC, n.id LIMIT 60
CALL (n) {
  RETURN n AS shown
  UNION
  MATCH shown = (n)-[:ON_TOPIC]->(:Topic) RETURN shown LIMIT 3
  UNION
  MATCH shown = (n)-[:CONFLICTS_WITH|SUPERSEDES]-(:Insight) RETURN shown LIMIT 5
}
RETURN shown
LIMIT 300;
