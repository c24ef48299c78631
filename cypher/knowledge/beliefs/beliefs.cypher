// knowledge/recalled_in, the sessions and the authors ("author seconds") to whom beliefs were told lately
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    id, recalled_in, told_to
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})
WHERE b.scope IN $scopes
RETURN b.id AS id, coalesce(b.recalled_in, []) AS recalled_in, coalesce(b.told_to, []) AS told_to
ORDER BY id
LIMIT 1000

// knowledge/confirm_belief, note that a person says that a held belief is right, or no longer does; no row where it is not
//                           held
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $confirmed BOOLEAN, $author STRING, $at ZONED DATETIME
// columns:    id
CYPHER 25 MATCH (b:Belief {id: $id})
WHERE b.scope = $scope
SET b.lock = 1
REMOVE b.lock
WITH b
WHERE b.status IN ['active', 'disputed']
SET b.verified_at = CASE WHEN $confirmed THEN $at END, b.verified_by = CASE WHEN $confirmed THEN $author END,
    b.version = b.version + 1
RETURN b.id AS id

// knowledge/list_beliefs, beliefs of some scopes, newest first, after an id
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $statuses LIST<STRING>, $entity_id STRING, $session_id STRING, $after STRING,
//             $limit INTEGER
// columns:    belief, entities
CYPHER 25 MATCH (b:Belief)
WHERE b.scope IN $scopes AND b.status IN $statuses AND b.id < coalesce($after, '\uFFFF')
  AND ($session_id IS NULL OR b.session_id = $session_id)
  AND ($entity_id IS NULL OR EXISTS { (b)-[:ABOUT]->(:Entity {id: $entity_id}) })
WITH b
ORDER BY b.id DESC
LIMIT $limit
RETURN b {.*, embedding: NULL} AS belief,
  COLLECT { MATCH (b)-[about:ABOUT]->(e:Entity) WHERE e.scope IN $scopes
            RETURN [e.id, e.name, e.kind, about.role] ORDER BY about.role DESC, e.name, e.id LIMIT 100 } AS entities
ORDER BY b.id DESC

// knowledge/statements, who said a belief, in order of recording
// mode:       read
// returns:    many
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    source_id, kind, title, origin, author, sites, session_id, reliability, words, recalled, derived, recorded_at
CYPHER 25 MATCH (b:Belief {id: $id})-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
WHERE b.scope IN $scopes AND p.retracted_at IS NULL AND s.retracted_at IS NULL AND p.origin IS NOT NULL
RETURN s.id AS source_id, s.kind AS kind, coalesce(s.title, s.name) AS title, p.origin AS origin,
  p.author AS author, p.sites AS sites, p.session_id AS session_id, coalesce(s.reliability, p.reliability) AS reliability,
  p.words AS words, coalesce(p.recalled, false) AS recalled, coalesce(p.derived, false) AS derived,
  p.recorded_at AS recorded_at
ORDER BY p.recorded_at, p.id
LIMIT 200

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
