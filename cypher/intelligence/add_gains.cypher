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
