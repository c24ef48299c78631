// Beliefs and tensions: what is believed about what, and what disagrees
// Look for: Tension nodes join two beliefs about one entity; a belief that SUPERSEDES another tells what replaced it.
CYPHER 25
MATCH (b:Belief)
WITH b ORDER BY b.recorded_at DESC, b.id LIMIT 40
CALL (b) {
  RETURN b AS shown
  UNION
  MATCH shown = (b)-[:ABOUT]->(:Entity) RETURN shown LIMIT 5
  UNION
  MATCH shown = (b)-[:SUPERSEDES|MERGED_INTO|DERIVED_FROM]-(:Belief) RETURN shown LIMIT 5
  UNION
  MATCH shown = (b)-[:BETWEEN]-(:Tension) RETURN shown LIMIT 5
}
RETURN shown
LIMIT 300;
