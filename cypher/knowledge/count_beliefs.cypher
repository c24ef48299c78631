// knowledge/count_beliefs, how many beliefs of each status there are in some scopes
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    status, count
CYPHER 25 MATCH (b:Belief)
WHERE b.scope IN $scopes
RETURN b.status AS status, count(*) AS count
ORDER BY status
LIMIT 10
