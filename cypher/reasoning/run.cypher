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
