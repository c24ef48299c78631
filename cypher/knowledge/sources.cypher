// knowledge/sources, sources newest first with what their beliefs came to; null narrows nothing
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $kind STRING, $after STRING, $limit INTEGER
// columns:    source, beliefs, confirmed, disputed, superseded
CYPHER 25 MATCH (s:Source)
WHERE s.scope IN $scopes AND ($ids IS NULL OR s.id IN $ids) AND ($kind IS NULL OR s.kind = $kind)
  AND ($after IS NULL OR s.id < $after)
WITH s ORDER BY s.id DESC LIMIT $limit
CALL (s) {
  OPTIONAL MATCH (s)<-[:FROM]-(p:Provenance)<-[:HAS_PROVENANCE]-(b:Belief)
  WHERE p.retracted_at IS NULL AND NOT coalesce(p.recalled, false) AND b.scope IN $scopes
    AND b.retracted_at IS NULL AND b.merged_into IS NULL
  WITH DISTINCT b
  RETURN count(b) AS beliefs,
    sum(CASE WHEN b.status IN ['active', 'disputed'] AND b.sources > 1 THEN 1 ELSE 0 END) AS confirmed,
    sum(CASE WHEN b.status = 'disputed' THEN 1 ELSE 0 END) AS disputed,
    sum(CASE WHEN b.status = 'superseded' THEN 1 ELSE 0 END) AS superseded
}
RETURN s {.id, .scope, .kind, .title, .name, .uri, .upstream, .content_hash, .retracted_at, .recorded_at, .version}
  AS source, beliefs, confirmed, disputed, superseded
ORDER BY s.id DESC
