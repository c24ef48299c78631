// knowledge/drop_names, the names that a merge gave an entity are its own no longer
// mode:       write
// returns:    none
// parameters: $winner STRING, $names LIST<STRING>, $scopes LIST<STRING>
// columns:    none
CYPHER 25 MATCH (w:Entity {id: $winner})
WHERE w.scope IN $scopes
SET w.aliases = [name IN coalesce(w.aliases, []) WHERE NOT name IN $names]
