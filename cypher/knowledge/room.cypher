// knowledge/mark_beliefs, note that a pass has looked at beliefs; `mark` is the property that says so
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $mark STRING, $at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})
WHERE b.scope IN $scopes
SET b[$mark] = $at

// knowledge/held_ids, ids of the held beliefs of a scope, in their order
// mode:       read
// returns:    many
// parameters: $scope STRING, $after STRING, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (b:Belief)
WHERE b.scope = $scope AND b.id > $after AND b.status IN ['active', 'disputed']
RETURN b.id AS id
ORDER BY id
LIMIT $limit

// knowledge/unseen_beliefs, held beliefs of a scope that a pass has not looked at, in the order of ids; `mark` is the
//                           property that it leaves, empty for all beliefs
// mode:       read
// returns:    many
// parameters: $scope STRING, $mark STRING, $after STRING, $dimension INTEGER, $limit INTEGER
// columns:    id, content, content_hash, valid_from, valid_until, domain_path, overall, subjects, embedding
CYPHER 25 MATCH (b:Belief)
WHERE b.scope = $scope AND b.id > $after AND b.status IN ['active', 'disputed'] AND b.embedding IS NOT NULL
  AND ($mark = '' OR b[$mark] IS NULL)
WITH b
ORDER BY b.id
LIMIT $limit
RETURN b.id AS id, b.content AS content, b.content_hash AS content_hash, b.valid_from AS valid_from,
  b.valid_until AS valid_until, b.domain_path AS domain_path, b.overall AS overall,
  COLLECT { MATCH (b)-[about:ABOUT]->(e:Entity) WHERE about.role = 'subject' RETURN e.id ORDER BY e.id LIMIT 24 } AS subjects,
  vector(b.embedding, $dimension, FLOAT32) AS embedding
ORDER BY id

// knowledge/scopes_unseen, scopes with held beliefs that no scan for tensions or for twins has looked at
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS {
  MATCH (b:Belief)
  WHERE b.scope = s.id AND b.id > '' AND b.status IN ['active', 'disputed'] AND (b.scanned_at IS NULL OR b.joined_at IS NULL)
}
RETURN s.id AS scope
ORDER BY scope

// knowledge/scopes_of[{{label}}], scopes with nodes of this label
// mode:       read
// returns:    many
// parameters: none
// columns:    scope
// kinds:      label: Source, Belief
CYPHER 25 MATCH (s:Scope)
WHERE EXISTS { MATCH (n:{{label}}) WHERE n.scope = s.id AND n.id > '' }
RETURN s.id AS scope
ORDER BY scope
