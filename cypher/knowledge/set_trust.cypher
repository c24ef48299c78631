// knowledge/set_trust, how far one source trusts another; said again it is replaced
// mode:       write
// returns:    maybe
// parameters: $from_id STRING, $to_id STRING, $weight FLOAT, $scope STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    from_source_id, to_source_id, weight, recorded_at
CYPHER 25 MATCH (a:Source {id: $from_id})
WHERE a.scope = $scope
MATCH (b:Source {id: $to_id})
WHERE b.scope IN $scopes AND a <> b
MERGE (a)-[trusts:TRUSTS]->(b)
SET trusts.weight = $weight, trusts.scope = $scope, trusts.recorded_at = $now
RETURN a.id AS from_source_id, b.id AS to_source_id, trusts.weight AS weight, trusts.recorded_at AS recorded_at
