// intelligence/linked_thoughtseeds, note that seeds were linked
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (seed:ThoughtSeed {id: id})
WHERE seed.scope IN $scopes
SET seed.linked = true
