// graph/known_entities, entities of some scopes that texts name: by look-up key, or by phrases of the full-text index
//                       (names and aliases; the caller compares them exactly); what was merged gives way to the other
// mode:       read
// returns:    many
// parameters: $keys LIST<STRING>, $phrases LIST<STRING>, $scopes LIST<STRING>, $limit INTEGER
// columns:    id, scope, name, kind, aliases, degree
CYPHER 25 CALL () {
  MATCH (named:Entity)
  WHERE named.scope IN $scopes AND named.name_key IN $keys
  MATCH (n:Entity {id: coalesce(named.merged_into, named.id)})
  RETURN n
  UNION
  UNWIND $phrases AS phrase
  CALL db.index.fulltext.queryNodes('entity_names', phrase, {limit: $limit}) YIELD node AS n
  WHERE n.scope IN $scopes
  RETURN n
}
WITH n
WHERE n.merged_into IS NULL AND n.retracted_at IS NULL
RETURN n.id AS id, n.scope AS scope, n.name AS name, n.kind AS kind, coalesce(n.aliases, []) AS aliases,
  coalesce(n.degree, 0) AS degree
ORDER BY degree DESC, id
LIMIT 100000

// graph/merge_entities, entities by their ids; tells which of the rows have no relationship yet, and what was merged into
//                       another: [id, the other's]; a row is [number, id, canonical_key, name, name_key, kind, aliases]
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $scope_token STRING, $recorded_at ZONED DATETIME
// columns:    fresh, merged
CYPHER 25 UNWIND $rows AS row
MERGE (entity:Entity {id: row[1]})
ON CREATE SET entity.scope = $scope, entity.scope_token = $scope_token, entity.canonical_key = row[2],
              entity.name = row[3], entity.name_key = row[4], entity.kind = row[5], entity.aliases = row[6],
              entity.degree = 0, entity.recorded_at = $recorded_at, entity.version = 1
RETURN collect(CASE WHEN entity.degree = 0 THEN row[0] END) AS fresh,
  collect(CASE WHEN entity.merged_into IS NOT NULL THEN [entity.id, head(COLLECT {
    MATCH (entity) ((one:Entity)-[:SAME_AS]->(other:Entity) WHERE one.merged_into = other.id){1,20} (last)
    WHERE last.merged_into IS NULL
    RETURN last.id
  })] END) AS merged

// graph/embed_new_entities, vectors of entities that have none yet
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $vectors LIST<VECTOR>, $model STRING, $scope STRING
// columns:    none
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (n:Entity {id: $ids[i]})
WHERE n.scope = $scope AND n.embedding IS NULL
SET n.embedding = toFloatList($vectors[i]), n.embedding_model = $model
