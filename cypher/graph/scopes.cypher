// graph/scopes, every scope that something was written into, with the first time
// mode:       read
// returns:    many
// parameters: none
// columns:    id, recorded_at
CYPHER 25 MATCH (s:Scope)
RETURN s.id AS id, s.recorded_at AS recorded_at
ORDER BY id
