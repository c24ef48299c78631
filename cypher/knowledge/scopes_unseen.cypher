// knowledge/scopes_unseen, scopes with held beliefs that no scan for tensions or for twins has looked at
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS {
  MATCH (b:Belief)
  WHERE b.scope = s.id AND b.id > '' AND b.status IN ['active', 'disputed'] AND (b.scanned_at IS NULL OR b.joined_at IS NULL)
}
RETURN s.id AS scope
ORDER BY scope
