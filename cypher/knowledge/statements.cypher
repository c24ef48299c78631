// knowledge/statements, who said a belief, in order of recording
// mode:       read
// returns:    many
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    source_id, kind, title, origin, session_id, reliability, words, recalled, recorded_at
CYPHER 25 MATCH (b:Belief {id: $id})-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
WHERE b.scope IN $scopes AND p.retracted_at IS NULL AND s.retracted_at IS NULL AND p.origin IS NOT NULL
RETURN s.id AS source_id, s.kind AS kind, coalesce(s.title, s.name) AS title, p.origin AS origin,
  p.session_id AS session_id, coalesce(s.reliability, p.reliability) AS reliability, p.words AS words,
  coalesce(p.recalled, false) AS recalled, p.recorded_at AS recorded_at
ORDER BY p.recorded_at, p.id
LIMIT 200
