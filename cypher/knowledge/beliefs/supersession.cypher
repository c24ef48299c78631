// knowledge/close_belief, end a held belief because another takes its place; the first of several writers does it, the
//                         others get no row, nor does anyone once its authority ($overall, $sources) has grown since it
//                         was weighed. `closed_for` names the newcomer, so that a second try finds its own work.
//                         Those that it had taken the place of end there too, if they lasted longer; `ends` keeps
//                         until when each was thought to last, from which instant of recording (`ends_at`)
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $newcomer STRING, $until ZONED DATETIME, $at ZONED DATETIME,
//             $reason STRING, $versions LIST<INTEGER>, $overall FLOAT, $sources INTEGER
// columns:    id
CYPHER 25 MATCH (old:Belief {id: $id})
WHERE old.scope IN $scopes
SET old.stated_at = $at
WITH old
WHERE old.closed_for = $newcomer
   OR (old.status IN ['active', 'disputed'] AND ($versions IS NULL OR old.version IN $versions)
       AND old.overall <= $overall + 1e-9 AND old.sources <= $sources)
SET old.closed_for = $newcomer, old.status = 'superseded', old.superseded_at = coalesce(old.superseded_at, $at),
    old.superseded_reason = $reason, old.live_hash = NULL,
    old.valid_until = CASE WHEN old.valid_until < $until THEN old.valid_until ELSE $until END
CALL (old) {
  MATCH (old)-[:SUPERSEDES*1..100]->(older:Belief)
  WHERE older.scope IN $scopes AND older.valid_until > $until
  WITH DISTINCT older ORDER BY older.id
  SET older.ends = coalesce(older.ends, [older.valid_until]) + $until,
      older.ends_at = coalesce(older.ends_at, [older.superseded_at]) + $at, older.valid_until = $until
}
RETURN old.id AS id

// knowledge/link_supersession, tie the holder of a text to the belief that was closed for it; the holder's id.
//                              A newcomer that says no start is valid from now on, when the other one ends
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $newcomer STRING, $live_hash STRING, $at ZONED DATETIME
// columns:    id
CYPHER 25 MATCH (old:Belief {id: $id})
WHERE old.scope = $scope AND old.closed_for = $newcomer
MATCH (new:Belief {scope: $scope, live_hash: $live_hash})
SET new.stated_at = $at, old.superseded_by_id = new.id,
    new.valid_from = CASE
      WHEN new.id = $newcomer AND new.valid_from IS NULL AND coalesce(new.valid_until > $at, true) THEN $at
      ELSE new.valid_from
    END
WITH old, new
CALL (old, new) {
  WITH old, new
  WHERE NOT EXISTS { (new)-[:SUPERSEDES]->(old) }
  CREATE (new)-[:SUPERSEDES {scope: $scope, recorded_at: $at}]->(old)
}
RETURN new.id AS id
