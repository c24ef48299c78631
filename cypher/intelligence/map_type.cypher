// intelligence/map_type, say that a relationship type of a scope means a cause, and how; or that it means none
// mode:       write
// returns:    maybe
// parameters: $scope STRING, $name STRING, $kind STRING
// columns:    name, kind
CYPHER 25 MATCH (t:RelationshipType {scope: $scope, name: $name})
SET t.is_causal = $kind <> 'none', t.causal_kind = CASE WHEN $kind = 'none' THEN null ELSE $kind END,
    t.version = coalesce(t.version, 0) + 1
RETURN t.name AS name, $kind AS kind
