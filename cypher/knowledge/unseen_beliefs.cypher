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
