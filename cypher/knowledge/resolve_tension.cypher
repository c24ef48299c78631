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
