// ingest/known_triples, the numbers of the rows that are in the graph already; a row is [number, head, type, tail]
// mode:       read
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING
// columns:    known
CYPHER 25 UNWIND $rows AS row
MATCH (head:Entity {id: row[1]})
MATCH (tail:Entity {id: row[3]})
WHERE EXISTS { (head)-[r]->(tail) WHERE type(r) = row[2] AND r.scope = $scope }
RETURN collect(row[0]) AS known
