// intelligence/triggers, curiosity triggers, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $status STRING, $limit INTEGER
// columns:    id, scope, trigger_type, concept, error_magnitude, timestamp, investigation_status, priority, findings
CYPHER 25 MATCH (t:CuriosityTrigger)
WHERE t.scope IN $scopes AND ($status IS NULL OR t.investigation_status = $status)
RETURN t.id AS id, t.scope AS scope, t.trigger_type AS trigger_type, t.concept AS concept,
  t.error_magnitude AS error_magnitude, t.timestamp AS timestamp, t.investigation_status AS investigation_status,
  t.priority AS priority, coalesce(t.findings, 0) AS findings
ORDER BY timestamp DESC, id
LIMIT $limit
