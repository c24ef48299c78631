// reasoning/run, one recorded run with its steps in order; of a session that nothing is stored in it read nothing
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    run, policy, steps, evidence
CYPHER 25 MATCH (run:Run {id: $id})
WHERE run.scope IN $scopes AND all(scope IN run.scopes
  WHERE scope IN $scopes OR scope CONTAINS 'session:' AND NOT EXISTS { MATCH (known:Scope) WHERE known.id = scope })
OPTIONAL MATCH (run)-[:DECIDED_BY]->(policy:Policy)  // an archive does not bring it back
  // Steps are read last: each row that is sorted is charged with the lists that were made before it.
CALL (run) {
  MATCH (run)-[selected:SELECTED]->(e:Evidence)
  WITH e, selected ORDER BY selected.place LIMIT 10000
  RETURN collect(e.id) AS evidence
}
CALL (run) {
  MATCH (run)-[:HAS_STEP]->(step:RunStep)
  WITH step ORDER BY step.index LIMIT 10000
  RETURN collect(properties(step)) AS steps
}
RETURN properties(run) AS run, coalesce(policy.id, run.policy, '') AS policy, steps, evidence

// reasoning/runs, recorded runs that read only scopes of the caller's, newest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $after STRING, $limit INTEGER
// columns:    id, scope, query, policy, recorded_at
CYPHER 25 MATCH (run:Run)
WHERE run.scope IN $scopes AND all(scope IN run.scopes
    WHERE scope IN $scopes OR scope CONTAINS 'session:' AND NOT EXISTS { MATCH (known:Scope) WHERE known.id = scope })
  AND run.id < coalesce($after, '\uFFFF')
WITH run ORDER BY run.id DESC LIMIT $limit
OPTIONAL MATCH (run)-[:DECIDED_BY]->(policy:Policy)
RETURN run.id AS id, run.scope AS scope, run.query AS query, coalesce(policy.id, run.policy, '') AS policy, run.recorded_at AS recorded_at
ORDER BY id DESC

// reasoning/statements, the times of triples ([head, type, tail]; one row for each source) and of texts by id; a belief
//                       with its properties, of which its confidence at any instant can be told
// mode:       read
// returns:    many
// parameters: $edges LIST<LIST<STRING>>, $nodes LIST<STRING>, $scopes LIST<STRING>
// columns:    edge, node, text, recorded_at, retracted_at, superseded_at, archived_at, valid_from, valid_until, successor,
//             belief
CYPHER 25 CALL () {
  UNWIND $edges AS edge
  MATCH (a:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: edge[0]}) WHERE a.scope IN $scopes
  MATCH (b:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: edge[2]}) WHERE b.scope IN $scopes
  MATCH (a)-[r]->(b)
  WHERE type(r) = edge[1] AND (r.scope IS NULL OR r.scope IN $scopes)
  RETURN edge, null AS node,
    coalesce(a.name, a.title, a.id) + ' ' + replace(type(r), '_', ' ') + ' ' + coalesce(b.name, b.title, b.id) AS text,
    properties(r) AS of, null AS successor, null AS belief
  UNION ALL
  UNWIND $nodes AS id
  MATCH (n:Passage|Document|Belief|Memory|Experience|Value|Insight|Exchange {id: id}) WHERE n.scope IN $scopes
  RETURN null AS edge, id AS node, coalesce(n.content, n.text, n.title, n.id) AS text, properties(n) AS of,
    head(COLLECT { MATCH (n)<-[:SUPERSEDES]-(newer:Belief) RETURN newer.content ORDER BY newer.recorded_at LIMIT 1 }) AS successor,
    CASE WHEN n:Belief THEN n {.*, embedding: null} END AS belief
}
RETURN edge, node, text, of.recorded_at AS recorded_at, of.retracted_at AS retracted_at,
  of.superseded_at AS superseded_at, of.archived_at AS archived_at, of.valid_from AS valid_from,
  of.valid_until AS valid_until, successor, belief
ORDER BY node, edge, recorded_at
LIMIT 10000

// reasoning/write_runs, runs with their steps, where they were asked from, what they visited and selected, and who
//                       decided; a run that is there stays as it is, and one that tells of what was erased while it
//                       was answered is not written
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (policy:Policy {id: row.policy})
ON CREATE SET policy.scope = 'public', policy.name = row.policy, policy.recorded_at = row.properties.recorded_at
WITH row, policy
WHERE NOT EXISTS { (:Run {id: row.id}) } AND all(pick IN row.evidence WHERE EXISTS { MATCH (:Evidence {id: pick.id}) })
  AND all(id IN row.rests WHERE EXISTS {
    MATCH (:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: id}) })
CREATE (run:Run {id: row.id})-[:DECIDED_BY]->(policy)
SET run += row.properties, run.policy = row.policy
CALL (run, row) {
  UNWIND row.steps AS taken
  CREATE (run)-[:HAS_STEP]->(step:RunStep {id: taken.id})
  SET step += taken.properties, step.recorded_at = row.properties.recorded_at
  WITH row, taken, step
  UNWIND taken.visited AS id
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: id}) WHERE n.scope IN row.scopes
  CREATE (step)-[:VISITED]->(n)
}
CALL (run, row) {
  UNWIND row.seeds AS seed
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: seed.id}) WHERE n.scope IN row.scopes
  CREATE (run)-[:ASKED_FROM {place: seed.place, score: seed.score, reason: seed.reason}]->(n)
}
CALL (run, row) {
  UNWIND row.evidence AS pick
  MATCH (e:Evidence {id: pick.id})
  CREATE (run)-[:SELECTED {place: pick.place, score: pick.score, shaped_utility: pick.shaped_utility}]->(e)
}
