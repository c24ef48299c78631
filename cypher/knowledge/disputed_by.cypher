// knowledge/disputed_by, the beliefs on the other side of some beliefs' open tensions
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    other
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(other:Belief)
WHERE b.scope IN $scopes AND t.scope IN $scopes AND other.scope IN $scopes AND t.status IN ['detected', 'investigating']
RETURN DISTINCT other.id AS other
ORDER BY other
