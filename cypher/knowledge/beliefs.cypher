// knowledge/beliefs, beliefs by their ids, within scopes
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    belief, entities
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})
WHERE b.scope IN $scopes
CALL (b) {
  MATCH (b)-[about:ABOUT]->(entity:Entity)
  WHERE entity.scope IN $scopes
  WITH about, entity
  ORDER BY about.role DESC, entity.name, entity.id
  LIMIT 100
  RETURN collect([entity.id, entity.name, entity.kind, about.role]) AS entities
}
RETURN b {.*, embedding: NULL} AS belief, entities
ORDER BY b.id
LIMIT 1000
