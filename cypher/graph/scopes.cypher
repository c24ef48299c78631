// graph/scopes, every scope that something was written into, with the first time, and the policy that was chosen for it
// mode:       read
// returns:    many
// parameters: none
// columns:    id, recorded_at, policy
CYPHER 25 MATCH (s:Scope)
RETURN s.id AS id, s.recorded_at AS recorded_at, s.policy AS policy
ORDER BY id
