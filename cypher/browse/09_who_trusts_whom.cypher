// Who trusts whom: sources and the trust between them
// Look for: a Source that nobody trusts and that many beliefs come from.
CYPHER 25
MATCH (s:Source)
WITH s ORDER BY s.id LIMIT 60
OPTIONAL MATCH path = (s)-[:TRUSTS]-(:Source)
RETURN s, path
LIMIT 120;
