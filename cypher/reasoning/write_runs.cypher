// reasoning/write_runs, runs with their steps, where they were asked from, what they visited and selected, and who
//                       decided; a run that is there stays as it is
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (policy:Policy {id: row.policy})
ON CREATE SET policy.scope = 'public', policy.name = row.policy, policy.recorded_at = row.properties.recorded_at
WITH row, policy
WHERE NOT EXISTS { (:Run {id: row.id}) }
CREATE (run:Run {id: row.id})-[:DECIDED_BY]->(policy)
SET run += row.properties
CALL (run, row) {
  UNWIND row.steps AS taken
  CREATE (run)-[:HAS_STEP]->(step:RunStep {id: taken.id})
  SET step += taken.properties
  WITH row, taken, step
  UNWIND taken.visited AS id
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: id}) WHERE n.scope IN row.scopes
  CREATE (step)-[:VISITED]->(n)
}
CALL (run, row) {
  UNWIND row.seeds AS seed
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: seed.id}) WHERE n.scope IN row.scopes
  CREATE (run)-[:ASKED_FROM {place: seed.place, score: seed.score, reason: seed.reason}]->(n)
}
CALL (run, row) {
  UNWIND row.evidence AS pick
  MATCH (e:Evidence {id: pick.id})
  CREATE (run)-[:SELECTED {place: pick.place, score: pick.score, shaped_utility: pick.shaped_utility}]->(e)
}
