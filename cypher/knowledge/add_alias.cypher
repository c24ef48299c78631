// knowledge/add_alias, another name for an entity; no row when it is of another version than was seen
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $alias STRING, $versions LIST<INTEGER>
// columns:    id
CYPHER 25 MATCH (e:Entity {id: $id})
WHERE e.scope = $scope
SET e.version = coalesce(e.version, 1) + 1
WITH e, $versions IS NULL OR e.version - 1 IN $versions AS seen,
  NOT ($alias = e.name OR $alias IN coalesce(e.aliases, [])) AS fresh
SET e.version = e.version - CASE WHEN seen AND fresh THEN 0 ELSE 1 END
FOREACH (_ IN CASE WHEN seen AND fresh THEN [1] ELSE [] END | SET e.aliases = coalesce(e.aliases, []) + $alias)
WITH e, seen
WHERE seen
RETURN e.id AS id
