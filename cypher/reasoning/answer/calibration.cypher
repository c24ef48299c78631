// reasoning/feedback, the newest verdicts of some scopes that were known at an instant: the reader's score of the answer,
//                     and whether it was right
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $recorded ZONED DATETIME, $limit INTEGER
// columns:    id, score, right, recorded_at
CYPHER 25 MATCH (f:Feedback)
WHERE f.scope IN $scopes AND f.recorded_at <= $recorded AND f.score IS NOT NULL
WITH f ORDER BY f.recorded_at DESC, f.id LIMIT $limit
RETURN f.id AS id, f.score AS score, f.verdict = 'right' AS right, f.recorded_at AS recorded_at
ORDER BY id

// reasoning/give_feedback, a verdict of an author on an answer to a question; said again it takes the place of the former.
//                          It weighs that evidence of the run which the answer rests on, where its sources are the
//                          author's to write
// mode:       write
// returns:    one
// parameters: $id STRING, $run_id STRING, $scope STRING, $properties MAP, $evidence LIST<STRING>, $writable LIST<STRING>
// columns:    sources
CYPHER 25 MATCH (run:Run {id: $run_id})
WHERE run.scope = $scope
MERGE (f:Feedback {id: $id})
SET f += $properties, f.scope = $scope, f.version = coalesce(f.version, 0) + 1
WITH f, run
OPTIONAL MATCH (f)-[old:JUDGES|WEIGHS]->()
DELETE old
WITH DISTINCT f, run
CREATE (f)-[:JUDGES]->(run)
WITH f, run
CALL (f, run) {
  MATCH (run)-[:SELECTED]->(e:Evidence)-[:HAS_PROVENANCE]->(:Provenance)-[:FROM]->(s:Source)
  WHERE f.cause <> 'reading' AND s.scope IN $writable AND e.id IN $evidence
  WITH f, e, collect(DISTINCT s.id) AS sources
  MERGE (f)-[:WEIGHS]->(e)
  RETURN collect(sources) AS weighed
}
RETURN size(reduce(all = [], some IN weighed | all + [one IN some WHERE NOT one IN all])) AS sources
