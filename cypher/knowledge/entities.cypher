// knowledge/entities, entities by their ids
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    entity
CYPHER 25 UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope IN $scopes AND e.retracted_at IS NULL
RETURN {id: e.id, scope: e.scope, name: e.name, kind: coalesce(e.kind, 'concept'), aliases: coalesce(e.aliases, []),
  degree: coalesce(e.degree, 0), same_as: e.merged_into, recorded_at: e.recorded_at, version: coalesce(e.version, 1),
  beliefs: COUNT { (e)<-[:ABOUT]-(b:Belief) WHERE b.scope IN $scopes AND b.status IN ['active', 'disputed'] }} AS entity
ORDER BY e.id
