// reasoning/run, one recorded run with its steps in order
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    run, policy, steps, evidence
CYPHER 25 MATCH (run:Run {id: $id})-[:DECIDED_BY]->(policy:Policy)
WHERE run.scope IN $scopes AND all(scope IN run.scopes WHERE scope IN $scopes)
CALL (run) {
  MATCH (run)-[:HAS_STEP]->(step:RunStep)
  WITH step ORDER BY step.index LIMIT 10000
  RETURN collect(properties(step)) AS steps
}
CALL (run) {
  MATCH (run)-[selected:SELECTED]->(e:Evidence)
  WITH e, selected ORDER BY selected.place LIMIT 10000
  RETURN collect(e.id) AS evidence
}
RETURN properties(run) AS run, policy.id AS policy, steps, evidence

// reasoning/runs, recorded runs that read only scopes of the caller's, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $after STRING, $limit INTEGER
// columns:    id, scope, query, policy, recorded_at
CYPHER 25 MATCH (run:Run)
WHERE run.scope IN $scopes AND all(scope IN run.scopes WHERE scope IN $scopes)
  AND ($after IS NULL OR run.id < $after)
WITH run ORDER BY run.id DESC LIMIT $limit
MATCH (run)-[:DECIDED_BY]->(policy:Policy)
RETURN run.id AS id, run.scope AS scope, run.query AS query, policy.id AS policy, run.recorded_at AS recorded_at
ORDER BY id DESC

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
