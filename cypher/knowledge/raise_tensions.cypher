// knowledge/raise_tensions, contradictions between beliefs; a pair that has one already is passed over
//                           a row is {id, pair, a, b, kind, severity, score, similarity, signals}
// mode:       write
// returns:    many
// parameters: $rows LIST<MAP>, $scope STRING, $at ZONED DATETIME
// columns:    id, pair
CYPHER 25 UNWIND $rows AS row
MATCH (a:Belief {id: row.a}) WHERE a.scope = $scope
MATCH (b:Belief {id: row.b}) WHERE b.scope = $scope
MERGE (t:Tension {pair: row.pair})
ON CREATE SET t.id = row.id, t.scope = $scope, t.kind = row.kind, t.severity = row.severity, t.score = row.score,
              t.similarity = row.similarity, t.signals = row.signals, t.status = 'detected', t.resolution = '',
              t.recorded_at = $at, t.a_id = row.a, t.b_id = row.b, t.version = 1
WITH t, a, b, row
CALL (t, a, b, row) {
  WITH t, a, b, row
  WHERE t.id = row.id AND NOT EXISTS { (t)-[:BETWEEN]->() }
  CREATE (t)-[:BETWEEN {side: 'a', scope: $scope, recorded_at: $at}]->(a)
  CREATE (t)-[:BETWEEN {side: 'b', scope: $scope, recorded_at: $at}]->(b)
}
RETURN t.id AS id, t.pair AS pair
ORDER BY pair
