// intelligence/causal_types, the relationship types that mean a cause, how (causes, enables or inhibits), and whether the
//                            end of the relationship is the cause
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    name, kind, backward
CYPHER 25 MATCH (t:RelationshipType)
WHERE t.scope IN $scopes AND t.is_causal
RETURN t.name AS name, coalesce(max(t.causal_kind), toLower(t.name)) AS kind,
  max(CASE WHEN t.causal_backward THEN 1 ELSE 0 END) = 1 AS backward
ORDER BY name
LIMIT 1000

// intelligence/causal_edges, causal relationships into some nodes, and out of them when asked for; `CAUSAL` is written
//                            over with the types whose start is the cause, `CAUSAL_BY` with those whose end is, where
//                            there are any (a type from a parameter would be a filter behind all of a node's)
// mode:       read
// returns:    many
// parameters: $nodes LIST<STRING>, $scopes LIST<STRING>, $outward BOOLEAN, $valid ZONED DATETIME,
//             $recorded ZONED DATETIME, $limit INTEGER, $hidden_sources LIST<STRING>,
//             $hidden_edges LIST<LIST<STRING>>
// columns:    head, relation, tail, strength
CYPHER 25 UNWIND $nodes AS id
MATCH (n:Entity {id: id})
WHERE n.scope IN $scopes
CALL (n) {
  CALL (n) {
    MATCH (n)<-[r:`CAUSAL`]-(m:Entity)
    RETURN r, m
    UNION ALL
    MATCH (n)-[r:`CAUSAL_BY`]->(m:Entity)
    RETURN r, m
    UNION ALL
    MATCH (n)-[r:`CAUSAL`]->(m:Entity)
    WHERE $outward
    RETURN r, m
    UNION ALL
    MATCH (n)<-[r:`CAUSAL_BY`]-(m:Entity)
    WHERE $outward
    RETURN r, m
  }
  WITH r, m
  WHERE m.scope IN $scopes AND (r.scope IS NULL OR r.scope IN $scopes)
    AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
    AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded) AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
    AND (m.retracted_at IS NULL OR m.retracted_at > $recorded)
    AND NOT coalesce(r.source_id, '') IN $hidden_sources
    AND NOT [startNode(r).id, type(r), endNode(r).id] IN $hidden_edges
  RETURN r, m
  LIMIT $limit
}
WITH DISTINCT r
RETURN startNode(r).id AS head, type(r) AS relation, endNode(r).id AS tail,
  coalesce(r.strength, r.weight, 1.0) AS strength
ORDER BY head, tail, relation, strength
LIMIT $limit

// intelligence/map_type, say that a relationship type of a scope means a cause, and how; or that it means none
// mode:       write
// returns:    maybe
// parameters: $scope STRING, $name STRING, $kind STRING, $backward BOOLEAN
// columns:    name, kind
CYPHER 25 MATCH (t:RelationshipType {scope: $scope, name: $name})
SET t.is_causal = $kind <> 'none', t.causal_kind = CASE WHEN $kind = 'none' THEN null ELSE $kind END,
    t.causal_backward = $backward, t.version = coalesce(t.version, 0) + 1
RETURN t.name AS name, $kind AS kind
