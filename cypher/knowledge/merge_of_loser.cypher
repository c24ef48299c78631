// knowledge/merge_of_loser, the receipt under which something went into something else
// mode:       read
// returns:    maybe
// parameters: $loser STRING, $kind STRING, $scopes LIST<STRING>
// columns:    id
CYPHER 25 MATCH (r:Receipt)
WHERE r.scope IN $scopes AND r.kind = $kind AND r.loser = $loser AND r.undone_at IS NULL
RETURN r.id AS id
ORDER BY id DESC
LIMIT 1
