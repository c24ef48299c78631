// knowledge/close_tensions, tensions of what was retracted or merged are settled with it
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $resolution STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (t:Tension {id: id})
WHERE t.scope IN $scopes
SET t.status = 'resolved', t.resolution = $resolution, t.resolved_at = $now, t.version = t.version + 1
