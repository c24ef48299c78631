// knowledge/mark_beliefs, note that a pass has looked at beliefs; `mark` is the property that says so
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $mark STRING, $at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})
WHERE b.scope IN $scopes
SET b[$mark] = $at
