// insights/add_conflicts, a new insight does not go together with earlier ones: marked on both sides, and recorded;
//                         a row is {id, other, signals, similarity, changes: [of the new one, of the other]}
// mode:       write
// returns:    none
// parameters: $insight_id STRING, $scope STRING, $recorded_at ZONED DATETIME, $rows LIST<MAP>
// columns:    none
CYPHER 25 MATCH (n:Insight {id: $insight_id})
WHERE n.scope = $scope
UNWIND $rows AS row
MATCH (o:Insight {id: row.other})
WHERE o.scope = $scope AND NOT EXISTS { (n)-[:CONFLICTS_WITH {id: row.id}]->(o) }
CREATE (n)-[:CONFLICTS_WITH {id: row.id, scope: $scope, recorded_at: $recorded_at, signals: row.signals,
                             similarity: row.similarity, version: 1}]->(o)
SET o.version = o.version + 1
WITH row, n, o
UNWIND [[row.changes[0], n, o], [row.changes[1], o, n]] AS side
WITH side[0] AS change_id, side[1] AS marked, side[2] AS against
CREATE (:InsightChange {id: change_id, scope: $scope, recorded_at: $recorded_at, version: 1, mark: 'conflict',
                        insight_id: marked.id, before: '', after: against.id})
       -[:CHANGED {scope: $scope, recorded_at: $recorded_at}]->(marked)
