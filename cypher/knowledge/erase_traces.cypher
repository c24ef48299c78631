// knowledge/erase_traces, remove kept answers, ended jobs and curiosity's questions of whatever scope that hold a piece of
//                         text (as JSON writes it): they repeat what callers sent and got
// mode:       write
// returns:    one
// parameters: $pieces LIST<STRING>
// columns:    answers, jobs, questions
CYPHER 25 CALL () {
  MATCH (k:IdempotencyKey)
  WHERE any(piece IN $pieces WHERE k.response CONTAINS piece)
  DETACH DELETE k
  RETURN count(*) AS answers
}
CALL () {
  MATCH (j:Job)
  WHERE j.state IN ['succeeded', 'failed', 'cancelled']
    AND any(piece IN $pieces WHERE j.parameters CONTAINS piece OR j.cursor CONTAINS piece
            OR coalesce(j.message, '') CONTAINS piece OR coalesce(j.error, '') CONTAINS piece)
  DETACH DELETE j
  RETURN count(*) AS jobs
}
CALL () {
  MATCH (t:CuriosityTrigger)
  WHERE any(piece IN $pieces WHERE t.question CONTAINS piece OR any(asked IN t.questions WHERE asked CONTAINS piece))
  DETACH DELETE t
  RETURN count(*) AS questions
}
RETURN answers, jobs, questions
