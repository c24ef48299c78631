// knowledge/keep_candidates, pairs of entities that may be one ([a, b, similarity, shared, reason]), for somebody to judge
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $now ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (a:Entity {id: row[0]})
WHERE a.scope = $scope
MATCH (b:Entity {id: row[1]})
WHERE b.scope = $scope
MERGE (a)-[maybe:MAYBE_SAME_AS]->(b)
ON CREATE SET maybe.scope = $scope, maybe.recorded_at = $now
SET maybe.similarity = row[2], maybe.shared = row[3], maybe.reason = row[4]
