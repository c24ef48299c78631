// knowledge/belief_detail, one belief with its history both ways and its tensions
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    belief, entities, older, newer, tensions
CYPHER 25 MATCH (b:Belief {id: $id})
WHERE b.scope IN $scopes
RETURN b {.*, embedding: NULL} AS belief,
  COLLECT { MATCH (b)-[about:ABOUT]->(e:Entity) WHERE e.scope IN $scopes
            RETURN [e.id, e.name, e.kind, about.role] ORDER BY about.role DESC, e.name, e.id LIMIT 100 } AS entities,
  COLLECT { MATCH (b)-[:SUPERSEDES]->{1,100}(o:Belief) WHERE o.scope IN $scopes
            WITH DISTINCT o ORDER BY o.recorded_at DESC, o.id LIMIT 100
            RETURN o {.id, .content, .status, .recorded_at, .superseded_at, reason: coalesce(o.superseded_reason, '')} } AS older,
  COLLECT { MATCH (b)<-[:SUPERSEDES]-{1,100}(o:Belief) WHERE o.scope IN $scopes
            WITH DISTINCT o ORDER BY o.recorded_at, o.id LIMIT 100
            RETURN o {.id, .content, .status, .recorded_at, .superseded_at, reason: coalesce(o.superseded_reason, '')} } AS newer,
  COLLECT { MATCH (b)<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(other:Belief)
            WHERE other <> b AND t.scope IN $scopes AND other.scope IN $scopes
            WITH t, CASE t.a_id WHEN b.id THEN b ELSE other END AS a, CASE t.a_id WHEN b.id THEN other ELSE b END AS c
            ORDER BY t.recorded_at DESC, t.id LIMIT 100
            RETURN t {.*, a: a {.id, .content, .status, .overall}, b: c {.id, .content, .status, .overall}} } AS tensions
