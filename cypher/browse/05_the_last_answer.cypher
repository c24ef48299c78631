// The last answer: where it was asked from, what each step visited, the evidence it selected and who decided
// Look for: the RunSteps in the order of their index, the nodes they VISITED, and the Evidence that the answer stands on.
CYPHER 25
MATCH (run:Run)
WITH run ORDER BY run.id DESC LIMIT 1
CALL (run) {
  MATCH path = (run)-[:ASKED_FROM|DECIDED_BY|SELECTED|HAS_STEP]->() RETURN path LIMIT 150
  UNION
  MATCH path = (run)-[:HAS_STEP]->(:RunStep)-[:VISITED]->() RETURN path LIMIT 100
}
RETURN path
LIMIT 250;
