// knowledge/disputed_by, open tensions of some beliefs, with the belief on the other side
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    tension, other
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(other:Belief)
WHERE b.scope IN $scopes AND t.scope IN $scopes AND other.scope IN $scopes AND t.status IN ['detected', 'investigating']
RETURN DISTINCT t.id AS tension, other.id AS other
ORDER BY tension, other
