// Sessions and what they left: exchanges in their order, patterns, beliefs and insights
// Look for: a Pattern that is EVIDENCED_BY several sessions is a habit, not an accident.
CYPHER 25
MATCH (s:Session)
WITH s ORDER BY s.recorded_at DESC, s.id LIMIT 10
CALL (s) {
  RETURN s AS shown
  UNION
  MATCH shown = (s)<-[:IN_SESSION]-(:Exchange) RETURN shown LIMIT 20
  UNION
  MATCH shown = (s)<-[:EVIDENCED_BY|EXTRACTED_FROM]-(:Pattern|Belief|Insight) RETURN shown LIMIT 20
}
RETURN shown
LIMIT 300;
