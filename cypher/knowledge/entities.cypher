// knowledge/nearest_entities, entities near a text by meaning and by the words of their names: two rankings; of those that
//                             do not pass nothing is told
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $kind STRING, $limit INTEGER
// columns:    ranking, passes, id, similarity
CYPHER 25 CALL () {
  MATCH (e:Entity)
  SEARCH e IN (VECTOR INDEX entity_embedding FOR $embedding WHERE e.scope IN $scopes LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, e, score
  UNION ALL
  CALL db.index.fulltext.queryNodes('entity_names', $words, {limit: $limit}) YIELD node, score
  RETURN 'sparse' AS ranking, node AS e, score
}
WITH ranking, e, score, e.scope IN $scopes AND ($kind IS NULL OR coalesce(e.kind = $kind, false))
  AND e.merged_into IS NULL AND e.retracted_at IS NULL AS passes
RETURN ranking, passes, CASE WHEN passes THEN e.id END AS id,
  CASE WHEN ranking = 'dense' THEN 2.0 * score - 1.0 END AS similarity
ORDER BY ranking, score DESC, e.id

// knowledge/add_alias, another name for an entity; no row when it is of another version than was seen
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $alias STRING, $versions LIST<INTEGER>
// columns:    id
CYPHER 25 MATCH (e:Entity {id: $id})
WHERE e.scope = $scope
SET e.version = coalesce(e.version, 1) + 1
WITH e, $versions IS NULL OR e.version - 1 IN $versions AS seen,
  NOT ($alias = e.name OR $alias IN coalesce(e.aliases, [])) AS fresh
SET e.version = e.version - CASE WHEN seen AND fresh THEN 0 ELSE 1 END
FOREACH (_ IN CASE WHEN seen AND fresh THEN [1] ELSE [] END | SET e.aliases = coalesce(e.aliases, []) + $alias)
WITH e, seen
WHERE seen
RETURN e.id AS id

// knowledge/relate, a relationship between two entities, unless the same is kept (of the same valid time), with its type's
//                   vectors, degrees and counts
// mode:       write
// returns:    one
// parameters: $source STRING, $type STRING, $target STRING, $strength FLOAT, $valid_from ZONED DATETIME,
//             $valid_until ZONED DATETIME, $author STRING, $vectors LIST<VECTOR>, $model STRING, $scope STRING,
//             $scopes LIST<STRING>, $recorded_at ZONED DATETIME
// columns:    strength, valid_from, valid_until, recorded_at, created
CYPHER 25 MATCH (type:RelationshipType {scope: $scope, name: $type})
SET type.embedding = coalesce(type.embedding, toFloatList($vectors[0])),
  type.inverse_embedding = coalesce(type.inverse_embedding, toFloatList($vectors[1])),
  type.embedding_model = coalesce(type.embedding_model, $model)
WITH type
MATCH (head:Entity {id: $source}), (tail:Entity {id: $target})
WHERE head.scope IN $scopes AND tail.scope IN $scopes
CALL (head, tail) {
  OPTIONAL MATCH (head)-[known:$($type) {scope: $scope}]->(tail)
  WHERE known.retracted_at IS NULL
    AND coalesce(known.valid_from, datetime({year: 1})) = coalesce($valid_from, datetime({year: 1}))
    AND coalesce(known.valid_until, datetime({year: 1})) = coalesce($valid_until, datetime({year: 1}))
  RETURN known ORDER BY known.recorded_at LIMIT 1
}
CALL (head, tail, type, known) {
  WITH head, tail, type, known WHERE known IS NULL
  CREATE (head)-[r:$($type) {scope: $scope, weight: $strength, strength: $strength, valid_from: $valid_from,
                             valid_until: $valid_until, recorded_at: $recorded_at, source_id: $author, version: 1}]->(tail)
  SET head.degree = coalesce(head.degree, 0) + 1, tail.degree = coalesce(tail.degree, 0) + 1, type.count = type.count + 1
  RETURN r
  UNION
  WITH known WHERE known IS NOT NULL
  RETURN known AS r
}
RETURN coalesce(r.strength, r.weight, 1.0) AS strength, r.valid_from AS valid_from, r.valid_until AS valid_until,
  r.recorded_at AS recorded_at, known IS NULL AS created
LIMIT 1

// knowledge/candidates_of_resolution, pairs of entities that may be one, most alike first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    a, b, similarity, shared, reason
CYPHER 25 MATCH (a:Entity)-[maybe:MAYBE_SAME_AS]->(b:Entity)
WHERE a.scope IN $scopes AND b.scope IN $scopes AND a.merged_into IS NULL AND b.merged_into IS NULL
  AND a.retracted_at IS NULL AND b.retracted_at IS NULL
RETURN a.id AS a, b.id AS b, maybe.similarity AS similarity, maybe.shared AS shared, maybe.reason AS reason
ORDER BY similarity DESC, a, b
LIMIT $limit

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

// knowledge/drop_candidates, forget the pairs of an earlier look
// mode:       write
// returns:    none
// parameters: $scope STRING
// columns:    none
CYPHER 25 MATCH (a:Entity)-[maybe:MAYBE_SAME_AS]->(:Entity)
WHERE a.scope = $scope AND maybe.scope = $scope
DELETE maybe

// knowledge/keep_candidates, pairs of entities that may be one ([a, b, similarity, shared, reason]), for somebody to judge
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $now ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (a:Entity {id: row[0]})
WHERE a.scope = $scope
MATCH (b:Entity {id: row[1]})
WHERE b.scope = $scope
MERGE (a)-[maybe:MAYBE_SAME_AS]->(b)
ON CREATE SET maybe.scope = $scope, maybe.recorded_at = $now
SET maybe.similarity = row[2], maybe.shared = row[3], maybe.reason = row[4]

// knowledge/resolution_page, entities of a scope in the order of ids, each with the nearest others by the vectors of
//                            their names; what was merged or retracted is still in the index, and takes no place
// mode:       read
// returns:    many
// parameters: $scope STRING, $after STRING, $limit INTEGER, $near INTEGER, $least FLOAT
// columns:    id, name, kind, pairs
CYPHER 25 MATCH (e:Entity)
USING INDEX e:Entity(id)
WHERE e.id > $after AND e.scope = $scope AND e.merged_into IS NULL AND e.retracted_at IS NULL
WITH e ORDER BY e.id LIMIT $limit
CALL (e) {
  WITH e WHERE e.embedding IS NOT NULL
  MATCH (o:Entity)
  SEARCH o IN (VECTOR INDEX entity_embedding FOR e.embedding WHERE o.scope = e.scope LIMIT 4 * $near) SCORE AS score
  WITH e, o, 2.0 * score - 1.0 AS similarity
  WHERE o.id <> e.id AND similarity >= $least AND o.merged_into IS NULL AND o.retracted_at IS NULL
  WITH e, o, similarity ORDER BY similarity DESC, o.id LIMIT $near
  RETURN collect([o.id, o.name, coalesce(o.kind, 'concept'), similarity,
    COUNT { (e)--(m)--(o) WHERE NOT m:Run AND NOT m:RunStep AND NOT m:Source }]) AS pairs
}
RETURN e.id AS id, e.name AS name, coalesce(e.kind, 'concept') AS kind, pairs
ORDER BY id

// knowledge/neighbours, relationships of an entity with others, in force, those to little-known entities first
// mode:       read
// returns:    many
// parameters: $id STRING, $scopes LIST<STRING>, $now ZONED DATETIME, $limit INTEGER
// columns:    source, relation, target
CYPHER 25 MATCH (e:Entity {id: $id})-[r]-(other:Entity)
WHERE e.scope IN $scopes AND other.scope IN $scopes AND (r.scope IS NULL OR r.scope IN $scopes)
  AND r.retracted_at IS NULL AND other.retracted_at IS NULL AND NOT type(r) IN ['SAME_AS', 'MAYBE_SAME_AS']
  AND other.merged_into IS NULL
  AND (r.valid_from IS NULL OR r.valid_from <= $now) AND (r.valid_until IS NULL OR r.valid_until > $now)
WITH startNode(r) AS a, r, endNode(r) AS b, coalesce(other.degree, 0) AS degree, other.name AS name
ORDER BY degree, name, type(r) LIMIT $limit
RETURN {id: a.id, name: a.name, kind: coalesce(a.kind, 'concept')} AS source, type(r) AS relation,
  {id: b.id, name: b.name, kind: coalesce(b.kind, 'concept')} AS target
ORDER BY relation, a.name, b.name
