// knowledge/count_traces, how many kept answers, ended jobs and curiosity's questions hold a piece of text (as JSON writes
//                         it)
// mode:       read
// returns:    one
// parameters: $pieces LIST<STRING>
// columns:    answers, jobs, questions
CYPHER 25 RETURN
  COUNT { MATCH (k:IdempotencyKey) WHERE any(piece IN $pieces WHERE k.response CONTAINS piece) } AS answers,
  COUNT { MATCH (j:Job) WHERE j.state IN ['succeeded', 'failed', 'cancelled']
    AND any(piece IN $pieces WHERE j.parameters CONTAINS piece OR j.cursor CONTAINS piece
            OR coalesce(j.message, '') CONTAINS piece OR coalesce(j.error, '') CONTAINS piece) } AS jobs,
  COUNT { MATCH (t:CuriosityTrigger)
    WHERE any(piece IN $pieces WHERE t.question CONTAINS piece OR any(asked IN t.questions WHERE asked CONTAINS piece)) } AS questions
