// knowledge/scopes_of_beliefs, scopes with beliefs
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS { MATCH (n:Belief) WHERE n.scope = s.id AND n.id > '' }
RETURN s.id AS scope
ORDER BY scope
