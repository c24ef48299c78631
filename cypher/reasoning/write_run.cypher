// reasoning/write_run, a run with its steps, where it was asked from, what it visited and selected, and who decided
// mode:       write
// returns:    none
// parameters: $id STRING, $run MAP, $policy STRING, $recorded_at ZONED DATETIME, $scopes LIST<STRING>,
//             $steps LIST<MAP>, $seeds LIST<MAP>, $evidence LIST<MAP>
// columns:    none
CYPHER 25 MERGE (run:Run {id: $id})
SET run += $run
MERGE (policy:Policy {id: $policy})
ON CREATE SET policy.scope = 'public', policy.name = $policy, policy.recorded_at = $recorded_at
MERGE (run)-[:DECIDED_BY]->(policy)
CALL (run) {
  UNWIND $steps AS row
  MERGE (step:RunStep {id: row.id})
  SET step += row.properties, step.recorded_at = $recorded_at
  MERGE (run)-[:HAS_STEP]->(step)
  WITH step, row
  UNWIND row.visited AS id
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: id}) WHERE n.scope IN $scopes
  MERGE (step)-[:VISITED]->(n)
}
CALL (run) {
  UNWIND $seeds AS seed
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: seed.id}) WHERE n.scope IN $scopes
  MERGE (run)-[asked:ASKED_FROM]->(n)
  SET asked.place = seed.place, asked.score = seed.score, asked.reason = seed.reason
}
CALL (run) {
  UNWIND $evidence AS pick
  MATCH (e:Evidence {id: pick.id})
  MERGE (run)-[selected:SELECTED]->(e)
  SET selected.place = pick.place, selected.score = pick.score, selected.shaped_utility = pick.shaped_utility
}
