// What is here: how many nodes of each label, in each scope
// Look for: scopes that you do not know, and labels that are missing where a load or a job should have made them.
CYPHER 25
MATCH (n)
RETURN labels(n)[0] AS label, n.scope AS scope, count(*) AS nodes, max(n.recorded_at) AS newest
ORDER BY scope, nodes DESC, label
LIMIT 200;
