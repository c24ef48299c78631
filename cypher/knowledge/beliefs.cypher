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
RETURN b {.id, .scope, .content, .content_hash, .domain_path, .status, .stage, .signal, .source_kind, .source_id,
  .extraction_method, .visibility, .decay, .sources, .statements, .valid_from, .valid_until, .recorded_at,
  .confirmed_at, .superseded_at, .archived_at, .retracted_at, .open_tensions, .version, .overall,
  .c_source_reliability, .c_method_quality, .c_internal_consistency, .c_temporal_freshness, .c_corroboration,
  .c_domain_applicability} AS belief, entities
ORDER BY b.id
LIMIT 1000
