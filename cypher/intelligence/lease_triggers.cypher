// intelligence/lease_triggers, take waiting triggers, and those whose worker fell silent, by the server's clock: each is
//                              locked before its state is looked at, so that no two workers take one
// mode:       write
// returns:    many
// parameters: $scopes LIST<STRING>, $owner STRING, $lease_ms INTEGER, $limit INTEGER
// columns:    id, scope, scopes, concept, concept_id, question, error_magnitude
CYPHER 25 MATCH (t:CuriosityTrigger)
WHERE t.scope IN $scopes AND (t.investigation_status = 'queued'
  OR (t.investigation_status = 'investigating' AND t.leased_until <= datetime.realtime()))
WITH t
ORDER BY t.error_magnitude DESC, t.created_at, t.id
LIMIT $limit
WITH t
ORDER BY t.id
SET t.version = t.version + 1
WITH t
WHERE t.investigation_status = 'queued'
   OR (t.investigation_status = 'investigating' AND t.leased_until <= datetime.realtime())
SET t.investigation_status = 'investigating', t.owner = $owner, t.attempts = t.attempts + 1,
    t.leased_until = datetime.realtime() + duration({milliseconds: $lease_ms})
RETURN t.id AS id, t.scope AS scope, t.scopes AS scopes, t.concept AS concept, t.concept_id AS concept_id,
  t.question AS question, t.error_magnitude AS error_magnitude
ORDER BY error_magnitude DESC, id
