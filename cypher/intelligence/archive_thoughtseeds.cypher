// intelligence/archive_thoughtseeds, archive the oldest active seeds that were made before an instant; none is deleted
// mode:       write
// returns:    one
// parameters: $scopes LIST<STRING>, $before ZONED DATETIME, $now ZONED DATETIME, $limit INTEGER
// columns:    archived
CYPHER 25 MATCH (seed:ThoughtSeed)
WHERE seed.scope IN $scopes AND seed.status = 'active' AND seed.created_at < $before
WITH seed ORDER BY seed.id LIMIT $limit
SET seed.status = 'archived', seed.archived_at = $now
RETURN count(seed) AS archived
