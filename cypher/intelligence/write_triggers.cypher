// intelligence/write_triggers, queue hops that came out otherwise than expected; a trigger that is there is left alone
// mode:       write
// returns:    one
// parameters: $rows LIST<MAP>
// columns:    queued
CYPHER 25 UNWIND $rows AS row
MERGE (t:CuriosityTrigger {id: row.id})
ON CREATE SET t += row, t.recorded_at = row.created_at, t.timestamp = row.created_at, t.attempts = 0, t.version = 1,
  t.investigation_status = 'queued'
WITH t, row
CALL (t, row) {
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: row.concept_id})
  WHERE n.scope IN row.scopes
  MERGE (t)-[about:INVESTIGATES]->(n)
  ON CREATE SET about.scope = row.scope, about.recorded_at = row.created_at
}
RETURN count(t) AS queued
