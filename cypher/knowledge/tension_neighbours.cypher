// knowledge/tension_neighbours, ids of the beliefs in tension with one: their confidence changes with it
// mode:       read
// returns:    one
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    ids
CYPHER 25 OPTIONAL MATCH (b:Belief {id: $id})<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(other:Belief)
WHERE b.scope IN $scopes AND other.scope IN $scopes AND t.status IN ['detected', 'investigating'] AND other <> b
RETURN collect(DISTINCT other.id) AS ids
