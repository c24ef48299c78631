// knowledge/note_recall, these beliefs were told to a session: what it says of them again corroborates nothing
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $session_id STRING, $at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})
WHERE b.scope IN $scopes AND NOT $session_id IN coalesce(b.recalled_in, [])
SET b.recalled_at = $at
SET b.recalled_in = [$session_id] + coalesce(b.recalled_in, [])[..19]
