// Memories in clusters: what consolidation made of single memories
// Look for: a cluster with many members has grown strong; a memory without a cluster waits for the next consolidation.
CYPHER 25
MATCH (m:Memory)
WITH m ORDER BY m.recorded_at DESC, m.id LIMIT 80
CALL (m) {
  RETURN m AS shown
  UNION
  MATCH shown = (m)-[:MEMBER_OF]->(:MemoryCluster) RETURN shown LIMIT 2
  UNION
  MATCH shown = (m)-[:MENTIONS]->(:Entity) RETURN shown LIMIT 3
}
RETURN shown
LIMIT 300;
