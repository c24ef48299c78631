// values/runs, clustering runs newest first, older than a given id; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $axis STRING, $before STRING, $limit INTEGER
// columns:    run
CYPHER 25 MATCH (n:ClusteringRun)
WHERE n.scope IN $scopes AND ($axis IS NULL OR n.axis = $axis) AND ($before IS NULL OR n.id < $before)
RETURN n {.*} AS run
ORDER BY n.id DESC
LIMIT $limit
