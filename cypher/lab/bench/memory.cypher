// evaluation/create_experiences, many resolved experiences at once, as a bench needs them; a row is [properties, vector]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING
// columns:    none
CYPHER 25 UNWIND $rows AS row
CREATE (n:Experience {scope: $scope})
SET n += row[0], n.embedding = toFloatList(row[1]), n.strategy_embedding = toFloatList(row[1])

// evaluation/bare_memories, memories with all that indexes hold of them, and no cluster: what the store alone takes; a
//                           row is [id, content, vector, number]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $scope_token STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (memory:Memory {id: row[0]})
SET memory.scope = $scope, memory.scope_token = $scope_token, memory.recorded_at = $recorded_at, memory.write_key = row[0],
    memory.content = row[1], memory.embedding = toFloatList(row[2]), memory.sequence = row[3]
