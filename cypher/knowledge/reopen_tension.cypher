// knowledge/reopen_tension, take back how a tension was settled: a side that it ended is held again, unless something else
//                           has become of it since; one whose text another belief holds by now is held beside it
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $at ZONED DATETIME, $versions LIST<INTEGER>
// columns:    id
CYPHER 25 MATCH (t:Tension {id: $id})
WHERE t.scope IN $scopes
SET t.touched_at = $at
WITH t
MATCH (t)-[:BETWEEN {side: 'a'}]->(a:Belief)
MATCH (t)-[:BETWEEN {side: 'b'}]->(b:Belief)
WITH t, a, b, CASE WHEN a.id < b.id THEN [a, b] ELSE [b, a] END AS ordered
FOREACH (side IN ordered | SET side.stated_at = $at)
WITH t, a, b
WHERE t.reopened_at = $at
   OR (t.status IN ['resolved', 'accepted'] AND ($versions IS NULL OR t.version IN $versions))
CALL (t, a, b) {
  WITH t, a, b
  WHERE t.status IN ['resolved', 'accepted']
  UNWIND [[a, t.a_live_hash, t.a_valid_until], [b, t.b_live_hash, t.b_valid_until]] AS side
  WITH t, side[0] AS loser, side[1] AS live_hash, side[2] AS valid_until
  WHERE (loser.status = 'superseded' AND loser.superseded_at = t.resolved_at)
     OR (loser.status = 'archived' AND loser.archived_at = t.resolved_at)
  OPTIONAL MATCH (loser)<-[ended:SUPERSEDES {tension_id: $id}]-()
  SET loser.status = 'active', loser.valid_until = valid_until,
      loser.superseded_at = CASE WHEN loser.superseded_at = t.resolved_at THEN NULL ELSE loser.superseded_at END,
      loser.superseded_by_id = CASE WHEN ended IS NULL THEN loser.superseded_by_id END,
      loser.superseded_reason = CASE WHEN ended IS NULL THEN loser.superseded_reason END,
      loser.archived_at = CASE WHEN loser.archived_at = t.resolved_at THEN NULL ELSE loser.archived_at END,
      loser.live_hash = CASE WHEN EXISTS { MATCH (twin:Belief {scope: loser.scope, live_hash: live_hash}) } THEN NULL
                             ELSE live_hash END
  DELETE ended
}
CALL (t) {
  WITH t
  WHERE t.status IN ['resolved', 'accepted']
  SET t.status = 'detected', t.action = NULL, t.resolution = '', t.resolved_at = NULL, t.reopened_at = $at,
      t.a_live_hash = NULL, t.b_live_hash = NULL, t.a_valid_until = NULL, t.b_valid_until = NULL,
      t.version = t.version + 1
}
RETURN t.id AS id
