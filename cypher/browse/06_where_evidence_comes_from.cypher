// Where evidence comes from: evidence, its provenance and its sources
// Look for: a Source that much evidence hangs on: its reputation decides how far those answers can be trusted.
CYPHER 25
MATCH path = (e:Evidence)-[:HAS_PROVENANCE]->(:Provenance)-[:FROM]->(:Source)
RETURN path
ORDER BY e.recorded_at DESC, e.id
LIMIT 60;
