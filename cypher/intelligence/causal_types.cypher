// intelligence/causal_types, the relationship types that mean a cause, and how: causes, enables or inhibits
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    name, kind
CYPHER 25 MATCH (t:RelationshipType)
WHERE t.scope IN $scopes AND t.is_causal
RETURN t.name AS name, coalesce(max(t.causal_kind), toLower(t.name)) AS kind
ORDER BY name
LIMIT 1000
