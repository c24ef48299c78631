// knowledge/count_traces, how many kept answers and ended jobs hold a piece of text (as JSON writes it)
// mode:       read
// returns:    one
// parameters: $pieces LIST<STRING>
// columns:    answers, jobs
CYPHER 25 RETURN
  COUNT { MATCH (k:IdempotencyKey) WHERE any(piece IN $pieces WHERE k.response CONTAINS piece) } AS answers,
  COUNT { MATCH (j:Job) WHERE j.state IN ['succeeded', 'failed', 'cancelled']
    AND any(piece IN $pieces WHERE j.parameters CONTAINS piece OR j.cursor CONTAINS piece
            OR coalesce(j.message, '') CONTAINS piece OR coalesce(j.error, '') CONTAINS piece) } AS jobs
