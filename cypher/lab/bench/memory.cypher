// evaluation/create_experiences, many resolved experiences at once, as a bench needs them; a row is [properties, vector]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING
// columns:    none
CYPHER 25 UNWIND $rows AS row
CREATE (n:Experience {scope: $scope})
SET n += row[0], n.embedding = toFloatList(row[1]), n.strategy_embedding = toFloatList(row[1])
