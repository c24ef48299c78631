// graph/scopes, every scope that something was written into, with the first time, the policy that was chosen for it, and
//               how often somebody said what its relationship types mean
// mode:       read
// returns:    many
// parameters: none
// columns:    id, recorded_at, policy, types_told
CYPHER 25 MATCH (s:Scope)
RETURN s.id AS id, s.recorded_at AS recorded_at, s.policy AS policy,
  coalesce(s.types_told, 0) AS types_told
ORDER BY id

// graph/named_scopes, the same of some scopes alone: what a question that names its scopes needs, however many there are
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>
// columns:    id, policy, types_told
CYPHER 25 MATCH (s:Scope)
WHERE s.id IN $ids
RETURN s.id AS id, s.policy AS policy, coalesce(s.types_told, 0) AS types_told
ORDER BY id

// graph/triples_of_scope, some triples between named entities of a scope, as example questions are made of them
// mode:       read
// returns:    many
// parameters: $scope STRING, $limit INTEGER
// columns:    head, relation, tail
CYPHER 25 MATCH (a:Entity {scope: $scope})
WHERE a.retracted_at IS NULL AND a.merged_into IS NULL
WITH a LIMIT $limit
CALL (a) {
  MATCH (a)-[r]->(b:Entity {scope: $scope})
  WHERE r.retracted_at IS NULL AND NOT type(r) = 'SAME_AS'
  RETURN type(r) AS relation, b.name AS tail LIMIT 20
}
RETURN a.name AS head, relation, tail
LIMIT $limit * 4
