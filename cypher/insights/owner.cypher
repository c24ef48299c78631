// insights/owner, whose an insight is, in quarantine or not; nothing of it is shown
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    scope, quarantined, version
CYPHER 25 MATCH (n:Insight {id: $id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.retracted_at IS NULL
RETURN n.scope AS scope, n.quarantined AS quarantined, n.version AS version
