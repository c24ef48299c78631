// knowledge/erasable_texts, what some nodes ([label, id]) say, so that it can be looked for elsewhere
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    text
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
UNWIND [n.content, n.text, n.summary, n.description] AS text
WITH DISTINCT text
WHERE text IS NOT NULL
RETURN text
ORDER BY text
LIMIT 100000
