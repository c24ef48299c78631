// graph/merge_entities, entities by their ids; tells which of the rows have no relationship yet
//                       a row is [number, id, canonical_key, name, name_key, kind, aliases]
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $scope_token STRING, $recorded_at ZONED DATETIME
// columns:    fresh
CYPHER 25 UNWIND $rows AS row
MERGE (entity:Entity {id: row[1]})
ON CREATE SET entity.scope = $scope, entity.scope_token = $scope_token, entity.canonical_key = row[2],
              entity.name = row[3], entity.name_key = row[4], entity.kind = row[5], entity.aliases = row[6],
              entity.degree = 0, entity.recorded_at = $recorded_at, entity.version = 1
RETURN collect(CASE WHEN entity.degree = 0 THEN row[0] END) AS fresh
