// sessions/scopes_of_patterns, scopes with patterns
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS { MATCH (n:Pattern) WHERE n.scope = s.id AND n.id > '' }
RETURN s.id AS scope
ORDER BY scope
