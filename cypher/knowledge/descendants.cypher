// knowledge/descendants, beliefs that were derived from some beliefs, through others too: what `cap_authority` may lower
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    id
CYPHER 25 UNWIND $ids AS id
MATCH (root:Belief {id: id})
WHERE root.scope IN $scopes
MATCH (x:Belief) ((:Belief)-[:DERIVED_FROM]->(:Belief)){1,8} (root)
WHERE x.scope IN $scopes
RETURN DISTINCT x.id AS id
ORDER BY id
LIMIT 20000
