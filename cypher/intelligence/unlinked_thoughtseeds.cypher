// intelligence/unlinked_thoughtseeds, seeds that were written and not linked yet
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (seed:ThoughtSeed)
USING INDEX seed:ThoughtSeed(linked, id)
WHERE seed.linked = false AND seed.id > '' AND seed.scope IN $scopes AND seed.embedding IS NOT NULL
RETURN seed.id AS id
ORDER BY id
LIMIT $limit
