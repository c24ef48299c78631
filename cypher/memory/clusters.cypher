// memory/clusters, clusters of some scopes, the newest first, older than one number
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $before INTEGER, $limit INTEGER, $threshold INTEGER
// columns:    cluster_id, scope, size, consolidated, queued, representative_id, representative_content, compression,
//             cohesion, created_at, last_access_at, access_count, version
CYPHER 25 MATCH (c:MemoryCluster)
WHERE c.scope IN $scopes AND ($before IS NULL OR c.cluster_id < $before)
WITH c ORDER BY c.cluster_id DESC LIMIT $limit
OPTIONAL MATCH (r:Memory {id: c.representative_id})
RETURN c.cluster_id AS cluster_id, c.scope AS scope, c.size AS size, c.consolidated AS consolidated,
  NOT c.settled AND c.size > $threshold AS queued, c.representative_id AS representative_id,
  r.content AS representative_content, CASE WHEN c.consolidated THEN toFloat(c.size) ELSE 1.0 END AS compression,
  c.cohesion AS cohesion, c.recorded_at AS created_at, c.last_access_at AS last_access_at,
  c.access_count AS access_count, c.version AS version
ORDER BY cluster_id DESC
