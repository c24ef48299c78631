// memory/list, memories of some scopes, newest first, older than one id
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $before STRING, $limit INTEGER
// columns:    memory_id, content, metadata, scope, cluster_id, is_representative, speaker, timestamp, recorded_at,
//             last_access_at, access_count, entities, version
CYPHER 25 MATCH (n:Memory)
WHERE n.scope IN $scopes AND ($before IS NULL OR n.id < $before)
WITH n ORDER BY n.id DESC LIMIT $limit
MATCH (n)-[:MEMBER_OF]->(c:MemoryCluster)
RETURN n.id AS memory_id, n.content AS content, n.metadata AS metadata, n.scope AS scope, c.cluster_id AS cluster_id,
  coalesce(c.representative_id = n.id, c.size = 1) AS is_representative, n.speaker AS speaker,
  n.timestamp AS timestamp, n.recorded_at AS recorded_at, n.last_access_at AS last_access_at,
  n.access_count AS access_count, n.version AS version,
  COLLECT { MATCH (n)-[:MENTIONS]->(e:Entity) WHERE e.scope IN $scopes RETURN e.name AS name ORDER BY name } AS entities
ORDER BY memory_id DESC
