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
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: row.concept_id})
  WHERE n.scope IN row.scopes
  MERGE (t)-[about:INVESTIGATES]->(n)
  ON CREATE SET about.scope = row.scope, about.recorded_at = row.created_at
}
RETURN count(t) AS queued

// intelligence/add_gains, add to the running means of relationship types what hops realised
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $rows AS row
CALL (row) {
  MATCH (t:RelationshipType)
  WHERE t.name = row.name AND t.scope IN $scopes
  RETURN t ORDER BY t.scope LIMIT 1
}
SET t.forward_gain_count = coalesce(t.forward_gain_count, 0) + row.forward_count,
    t.forward_gain_sum = coalesce(t.forward_gain_sum, 0.0) + row.forward_sum,
    t.inverse_gain_count = coalesce(t.inverse_gain_count, 0) + row.inverse_count,
    t.inverse_gain_sum = coalesce(t.inverse_gain_sum, 0.0) + row.inverse_sum
