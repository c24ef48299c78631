// knowledge/absorb_belief, a belief goes into another: it is kept, put away, and points to the winner
// mode:       write
// returns:    none
// parameters: $winner STRING, $loser STRING, $receipt_id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (w:Belief {id: $winner})
WHERE w.scope IN $scopes
MATCH (l:Belief {id: $loser})
WHERE l.scope IN $scopes
SET l.status = 'archived', l.archived_at = $now, l.merged_into = w.id, l.live_hash = null, l.version = l.version + 1
SET w.confirmed_at = CASE WHEN w.confirmed_at < l.confirmed_at THEN l.confirmed_at ELSE w.confirmed_at END
MERGE (l)-[into:MERGED_INTO]->(w)
ON CREATE SET into.scope = l.scope, into.recorded_at = $now, into.merge_id = $receipt_id
