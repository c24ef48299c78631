// knowledge/resolve_tension, settle an open tension: end one side or both, or accept it; what the sides were before is kept
//                            on the tension, so that it can be opened again. No row: it is not open, or of another
//                            version, or a side that is to change is not held
//                            $ended are the sides to end, each {side, status}
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $at ZONED DATETIME, $action STRING, $status STRING, $resolution STRING,
//             $versions LIST<INTEGER>, $ended LIST<MAP>
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
WHERE t.resolved_at = $at AND t.action = $action
   OR (t.status IN ['detected', 'investigating'] AND ($versions IS NULL OR t.version IN $versions)
       AND all(one IN $ended WHERE CASE one.side WHEN 'a' THEN a.status ELSE b.status END IN ['active', 'disputed']))
CALL (t, a, b) {
  WITH t, a, b
  WHERE t.status IN ['detected', 'investigating']
  SET t.status = $status, t.action = $action, t.resolution = $resolution, t.resolved_at = $at, t.version = t.version + 1,
      t.a_live_hash = a.live_hash, t.b_live_hash = b.live_hash, t.a_valid_until = a.valid_until,
      t.b_valid_until = b.valid_until
  WITH t, a, b
  UNWIND $ended AS one
  WITH one, CASE one.side WHEN 'a' THEN a ELSE b END AS loser, CASE one.side WHEN 'a' THEN b ELSE a END AS winner
  SET loser.status = one.status, loser.live_hash = NULL,
      loser.archived_at = CASE one.status WHEN 'archived' THEN $at ELSE loser.archived_at END,
      loser.superseded_at = CASE one.status WHEN 'superseded' THEN $at ELSE loser.superseded_at END,
      loser.superseded_reason = CASE one.status WHEN 'superseded' THEN $resolution ELSE loser.superseded_reason END,
      loser.superseded_by_id = CASE one.status WHEN 'superseded' THEN winner.id ELSE loser.superseded_by_id END,
      loser.valid_until = CASE WHEN one.status <> 'superseded' OR loser.valid_until < $at THEN loser.valid_until ELSE $at END
  WITH one, loser, winner
  WHERE one.status = 'superseded' AND NOT EXISTS { (winner)-[:SUPERSEDES]->(loser) }
  CREATE (winner)-[:SUPERSEDES {scope: winner.scope, recorded_at: $at, tension_id: $id}]->(loser)
}
RETURN t.id AS id

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

// knowledge/tension_neighbours, ids of the beliefs in tension with one: their confidence changes with it
// mode:       read
// returns:    one
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    ids
CYPHER 25 OPTIONAL MATCH (b:Belief {id: $id})<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(other:Belief)
WHERE b.scope IN $scopes AND other.scope IN $scopes AND t.status IN ['detected', 'investigating'] AND other <> b
RETURN collect(DISTINCT other.id) AS ids

// knowledge/tensions, tensions of some scopes with both beliefs, newest first, after an id
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $ids LIST<STRING>, $statuses LIST<STRING>, $held BOOLEAN, $severity STRING,
//             $entity_id STRING, $belief_id STRING, $after STRING, $limit INTEGER
// columns:    tension
CYPHER 25 MATCH (t:Tension)
WHERE t.scope IN $scopes AND ($ids IS NULL OR t.id IN $ids) AND ($statuses IS NULL OR t.status IN $statuses)
  AND ($severity IS NULL OR t.severity = $severity) AND t.id < coalesce($after, '\uFFFF')
  AND ($belief_id IS NULL OR $belief_id IN [t.a_id, t.b_id])
MATCH (t)-[:BETWEEN {side: 'a'}]->(a:Belief)
MATCH (t)-[:BETWEEN {side: 'b'}]->(b:Belief)
WHERE a.scope IN $scopes AND b.scope IN $scopes
  AND (NOT $held OR (a.status IN ['active', 'disputed'] AND b.status IN ['active', 'disputed']))
  AND ($entity_id IS NULL OR EXISTS { (a)-[:ABOUT]->(:Entity {id: $entity_id}) }
       OR EXISTS { (b)-[:ABOUT]->(:Entity {id: $entity_id}) })
RETURN t {.*, a: a {.id, .content, .status, .overall}, b: b {.id, .content, .status, .overall}} AS tension
ORDER BY t.id DESC
LIMIT $limit
