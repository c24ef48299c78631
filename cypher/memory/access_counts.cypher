// memory/touch, count recalls of memories and of their clusters, in one order for all writers; a row is [id, times]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scopes LIST<STRING>, $at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (n:Memory {id: row[0]})-[:MEMBER_OF]->(c:MemoryCluster)
WHERE n.scope IN $scopes
SET n.access_count = n.access_count + row[1],
  n.last_access_at = CASE WHEN n.last_access_at < $at THEN $at ELSE n.last_access_at END
WITH c, sum(row[1]) AS times
ORDER BY c.id
SET c.access_count = c.access_count + times,
  c.last_access_at = CASE WHEN c.last_access_at < $at THEN $at ELSE c.last_access_at END
