// knowledge/scopes_of_sources, scopes with sources
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS { MATCH (n:Source) WHERE n.scope = s.id AND n.id > '' }
RETURN s.id AS scope
ORDER BY scope
