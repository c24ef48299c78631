// knowledge/absorb_entity, an entity is the same as another: it is kept, put away, and its names become the winner's
// mode:       write
// returns:    none
// parameters: $winner STRING, $loser STRING, $receipt_id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (w:Entity {id: $winner})
WHERE w.scope IN $scopes
MATCH (l:Entity {id: $loser})
WHERE l.scope IN $scopes
SET l.archived_at = $now, l.merged_into = w.id, l.version = coalesce(l.version, 0) + 1
WITH w, l, reduce(names = [], name IN [l.name] + coalesce(l.aliases, []) |
  CASE WHEN name = w.name OR name IN coalesce(w.aliases, []) OR name IN names THEN names ELSE names + name END) AS fresh
SET w.aliases = coalesce(w.aliases, []) + fresh, w.version = coalesce(w.version, 0) + 1
MERGE (l)-[same:SAME_AS]->(w)
ON CREATE SET same.scope = l.scope, same.recorded_at = $now, same.merge_id = $receipt_id
WITH fresh
MATCH (receipt:Receipt {id: $receipt_id})
SET receipt.names = fresh
