// evaluation/create_beliefs, many beliefs at once, each about an entity, as a bench needs them: without looking around
//                            a row is [properties, vector, entity's id]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $source_id STRING, $reliability FLOAT, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (s:Source {id: $source_id})
ON CREATE SET s.scope = $scope, s.kind = 'document', s.title = 'bench', s.name = 'bench', s.recorded_at = $recorded_at
WITH s
UNWIND $rows AS row
MATCH (e:Entity {id: row[2]})
WHERE e.scope = $scope
CREATE (b:Belief)-[:ABOUT {role: 'subject', scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(e)
SET b = row[0], b.embedding = toFloatList(row[1])
CREATE (b)-[:HAS_PROVENANCE]->(:Provenance {id: 'prv_' + b.id, scope: $scope, origin: s.id, source_id: s.id,
                                            reliability: $reliability, words: [], recalled: false, recorded_at: $recorded_at})
       -[:FROM]->(s)
