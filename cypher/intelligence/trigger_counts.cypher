// intelligence/trigger_counts, how many triggers are in each state
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    status, count
CYPHER 25 MATCH (t:CuriosityTrigger)
WHERE t.scope IN $scopes
RETURN t.investigation_status AS status, count(t) AS count
ORDER BY status
LIMIT 10
