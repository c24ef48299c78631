// knowledge/recalled_in, the sessions into which beliefs were recalled lately
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    id, recalled_in
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})
WHERE b.scope IN $scopes
RETURN b.id AS id, coalesce(b.recalled_in, []) AS recalled_in
ORDER BY id
LIMIT 1000
