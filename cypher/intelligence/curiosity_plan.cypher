// intelligence/doubtful_questions, what was asked lately and not answered well when it was last asked, and not closed since
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $recent INTEGER, $least FLOAT, $limit INTEGER
// columns:    scope, asked, query, times, doubt, about
CYPHER 25 MATCH (run:Run)
WHERE run.scope IN $scopes AND all(scope IN run.scopes
  WHERE scope IN $scopes OR scope CONTAINS 'session:' AND NOT EXISTS { MATCH (known:Scope) WHERE known.id = scope })
WITH run ORDER BY run.id DESC LIMIT $recent
WITH run WHERE run.doubt IS NOT NULL
WITH run.scope AS scope, toLower(trim(run.query)) AS asked, count(run) AS times, collect(run)[0] AS last
WHERE last.doubt >= $least AND NOT EXISTS {
  MATCH (t:CuriosityTrigger)
  WHERE t.scope = scope AND t.investigation_status = 'completed' AND t.trigger_type = 'question'
    AND toLower(trim(t.question)) = asked AND t.completed_at >= last.recorded_at
}
RETURN scope, asked, last.query AS query, times, last.doubt AS doubt,
  COLLECT { MATCH (last)-[:ASKED_FROM]->(n) RETURN n.id ORDER BY n.id LIMIT 8 } AS about
ORDER BY times * doubt DESC, asked, scope
LIMIT $limit

// intelligence/open_tensions, beliefs that contradict each other, and how many answers cite one of them
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    id, scope, a, b, cited, about
CYPHER 25 MATCH (t:Tension)
WHERE t.scope IN $scopes AND t.status IN ['detected', 'investigating']
MATCH (t)-[:BETWEEN {side: 'a'}]->(a:Belief)
MATCH (t)-[:BETWEEN {side: 'b'}]->(b:Belief)
WHERE a.scope IN $scopes AND b.scope IN $scopes AND a.status IN ['active', 'disputed'] AND b.status IN ['active', 'disputed']
WITH t, a, b ORDER BY t.recorded_at DESC, t.id LIMIT $limit
RETURN t.id AS id, t.scope AS scope, a {.id, .content, .overall} AS a, b {.id, .content, .overall} AS b,
  COUNT { MATCH (e:Evidence)<-[:SELECTED]-(run:Run) WHERE e.unit IN [a.id, b.id] AND run.scope IN $scopes } AS cited,
  COLLECT { MATCH (a)-[:ABOUT]->(n:Entity) RETURN n.id ORDER BY n.id LIMIT 8 } AS about
ORDER BY id

// intelligence/lone_beliefs, beliefs that one source alone holds up, those held least first, and how many answers cite each
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    id, scope, content, overall, cited, about
CYPHER 25 MATCH (b:Belief)
WHERE b.scope IN $scopes AND b.status = 'active' AND b.sources < 2 AND b.retracted_at IS NULL AND b.merged_into IS NULL
  AND NOT EXISTS {
    MATCH (t:CuriosityTrigger)
    WHERE t.scope = b.scope AND t.investigation_status = 'completed' AND t.trigger_type = 'belief' AND t.concept_id = b.id
  }
WITH b ORDER BY b.overall, b.id LIMIT $limit
RETURN b.id AS id, b.scope AS scope, b.content AS content, b.overall AS overall,
  COUNT { MATCH (e:Evidence)<-[:SELECTED]-(run:Run) WHERE e.unit = b.id AND run.scope IN $scopes } AS cited,
  COLLECT { MATCH (b)-[:ABOUT]->(n:Entity) RETURN n.id ORDER BY n.id LIMIT 8 } AS about
ORDER BY id

// intelligence/queued_surprises, hops that came out otherwise than expected and wait for somebody to look
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    id, scope, concept, concept_id, question, error
CYPHER 25 MATCH (t:CuriosityTrigger)
WHERE t.scope IN $scopes AND all(scope IN coalesce(t.scopes, [])
  WHERE scope IN $scopes OR NOT EXISTS { MATCH (known:Scope) WHERE known.id = scope })
  AND t.investigation_status = 'queued' AND t.concept_id IS NOT NULL
RETURN t.id AS id, t.scope AS scope, t.concept AS concept, t.concept_id AS concept_id, t.question AS question,
  t.error_magnitude AS error
ORDER BY error DESC, id
LIMIT $limit

// intelligence/close_gap, a planned question is answered: it waits no more, until it comes up again
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $kind STRING, $question STRING, $about LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (t:CuriosityTrigger {id: $id})
ON CREATE SET t.scope = $scope, t.trigger_type = $kind, t.concept = left($question, 80), t.concept_id = head($about),
  t.question = $question, t.error_magnitude = 0.0, t.priority = 'normal', t.recorded_at = $now, t.timestamp = $now,
  t.version = 0
WITH t
WHERE t.scope = $scope
SET t.investigation_status = 'completed', t.completed_at = $now, t.findings = 1, t.leased_until = null, t.version = t.version + 1
