// operations/node_counts, how many nodes of each label some scopes hold
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    label, nodes
CYPHER 25 MATCH (n)
WHERE n.scope IN $scopes AND NOT n:ApiKey
UNWIND labels(n) AS label
RETURN label, count(*) AS nodes
ORDER BY label
LIMIT 1000
