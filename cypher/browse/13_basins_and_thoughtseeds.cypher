// Basins and ThoughtSeeds: concepts that pull, and the seeds that link documents
// Look for: CO_OCCURS_WITH between concepts whose documents never name both: a link worth a question.
CYPHER 25
MATCH (basin:AttractorBasin)
WITH basin ORDER BY basin.strength DESC, basin.id LIMIT 40
CALL (basin) {
  RETURN basin AS shown
  UNION
  MATCH shown = (basin)-[:HAS_BASIN|CO_OCCURS_WITH|ATTRACTED_TO]-() RETURN shown LIMIT 8
}
RETURN shown
LIMIT 300;
