// knowledge/trust_edges, TRUSTS within three hops of a source; without one, all of them
// mode:       read
// returns:    many
// parameters: $source_id STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    from_source_id, to_source_id, weight, recorded_at
CYPHER 25 CALL () {
  WHEN $source_id IS NULL THEN {
    MATCH (a:Source)-[t:TRUSTS]->(b:Source)
    WHERE a.scope IN $scopes AND b.scope IN $scopes
    RETURN a, t, b
    LIMIT $limit
  }
  ELSE {
    MATCH (s:Source {id: $source_id})
    WHERE s.scope IN $scopes
    MATCH (s) ((x:Source)-[:TRUSTS]->(y:Source WHERE y.scope IN $scopes)){0,2} (a)-[t:TRUSTS]->(b:Source)
    WHERE b.scope IN $scopes
    RETURN DISTINCT a, t, b
    LIMIT $limit
  }
}
RETURN a.id AS from_source_id, b.id AS to_source_id, t.weight AS weight, t.recorded_at AS recorded_at
ORDER BY from_source_id, to_source_id
