// graph/take_numbers, take the next numbers of a counter; the last of them is returned
// mode:       write
// returns:    one
// parameters: $scope STRING, $name STRING, $count INTEGER, $recorded_at ZONED DATETIME
// columns:    last
CYPHER 25 MERGE (c:Counter {id: $scope + '/' + $name})
ON CREATE SET c.scope = $scope, c.recorded_at = $recorded_at, c.value = 0
SET c.value = c.value + $count
RETURN c.value AS last

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

// knowledge/corroborate, one more statement of a belief that is held, with its text as evidence; safe to run twice
//                        (knowledge/settle follows in the same transaction). The first SET reads nothing of its node:
//                        one that does (n.x = n.x + 1) takes the server's locks in another order, and writers deadlock
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $evidence MAP, $embedding VECTOR, $source MAP, $provenance MAP, $recorded_at ZONED DATETIME
// columns:    id
CYPHER 25 MERGE (source:Source {id: $source.id})
ON CREATE SET source += $source
SET source.stated_at = $recorded_at
WITH source
MATCH (b:Belief {id: $id})
WHERE b.scope = $scope
SET b.stated_at = $recorded_at
WITH b, source
WHERE b.status IN ['active', 'disputed']
SET b.confirmed_at = CASE WHEN b.confirmed_at < $recorded_at THEN $recorded_at ELSE b.confirmed_at END
WITH b, source
CALL (b, source) {
  WITH b, source
  WHERE NOT EXISTS { (:Provenance {id: $provenance.id}) }
  CREATE (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(source)
  SET p += $provenance
  CREATE (b)-[:SUPPORTED_BY]->(e:Evidence)-[:HAS_PROVENANCE]->(p)
  SET e += $evidence, e.embedding = toFloatList($embedding)
}
RETURN b.id AS id

// knowledge/create_belief, a belief with what it is about and who said it; where the same text is held already nothing
//                          is written and the holder's id comes back. Safe to run twice. Entities are [id, role] in
//                          the order of ids. With $after nothing happens unless that belief was closed for this one
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $live_hash STRING, $belief MAP, $embedding VECTOR, $recorded_at ZONED DATETIME,
//             $entities LIST<LIST<STRING>>, $source MAP, $provenance MAP, $scopes LIST<STRING>, $after STRING
// columns:    id, created
CYPHER 25 WITH 1 AS one
WHERE $after IS NULL OR EXISTS { MATCH (old:Belief {id: $after}) WHERE old.scope = $scope AND old.closed_for = $id }
MERGE (known:Scope {id: $scope})
ON CREATE SET known.scope = $scope, known.recorded_at = $recorded_at
MERGE (source:Source {id: $source.id})
ON CREATE SET source += $source
SET source.stated_at = $recorded_at
MERGE (b:Belief {scope: $scope, live_hash: $live_hash})
ON CREATE SET b += $belief, b.embedding = toFloatList($embedding)
WITH b, source, b.id = $id AS created
CALL (b, source, created) {
  WITH b, source WHERE created
  CALL (b) {
    UNWIND $entities AS given
    MATCH (entity:Entity {id: given[0]}) WHERE entity.scope IN $scopes
    SET entity.linked_at = $recorded_at
    WITH b, entity, given
    WHERE NOT EXISTS { (b)-[:ABOUT]->(entity) }
    CREATE (b)-[:ABOUT {role: given[1], scope: $scope, recorded_at: $recorded_at, weight: 1.0, source_id: $source.id}]->
           (entity)
    SET entity.degree = coalesce(entity.degree, 0) + 1
  }
  WITH b, source
  WHERE NOT EXISTS { (:Provenance {id: $provenance.id}) }
  CREATE (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(source)
  SET p += $provenance
}
RETURN b.id AS id, created

// knowledge/derive_belief, tie a belief to what it was derived from; what has gone meanwhile is passed over
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $parents LIST<STRING>, $scopes LIST<STRING>, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (b:Belief {id: $id})
WHERE b.scope = $scope
SET b.stated_at = $recorded_at
WITH b
UNWIND $parents AS parent
MATCH (origin:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: parent})
WHERE origin.scope IN $scopes
SET origin.lock = 1
REMOVE origin.lock
SET b.depth = CASE WHEN coalesce(origin.depth, 0) < coalesce(b.depth, 0) THEN b.depth ELSE coalesce(origin.depth, 0) + 1 END
WITH b, origin
WHERE NOT EXISTS { (b)-[:DERIVED_FROM]->(origin) }
CREATE (b)-[:DERIVED_FROM {scope: $scope, recorded_at: $recorded_at, weight: 1.0}]->(origin)
SET origin.degree = coalesce(origin.degree, 0) + 1, b.degree = b.degree + 1

// knowledge/raise_tensions, contradictions between beliefs; a pair that has one already is passed over
//                           a row is {id, pair, a, b, kind, severity, score, similarity, signals}
// mode:       write
// returns:    many
// parameters: $rows LIST<MAP>, $scope STRING, $at ZONED DATETIME
// columns:    id, pair
CYPHER 25 UNWIND $rows AS row
MATCH (a:Belief {id: row.a}) WHERE a.scope = $scope
MATCH (b:Belief {id: row.b}) WHERE b.scope = $scope
MERGE (t:Tension {pair: row.pair})
ON CREATE SET t.id = row.id, t.scope = $scope, t.kind = row.kind, t.severity = row.severity, t.score = row.score,
              t.similarity = row.similarity, t.signals = row.signals, t.status = 'detected', t.resolution = '',
              t.recorded_at = $at, t.a_id = row.a, t.b_id = row.b, t.version = 1
WITH t, a, b, row
CALL (t, a, b, row) {
  WITH t, a, b, row
  WHERE t.id = row.id AND NOT EXISTS { (t)-[:BETWEEN]->() }
  CREATE (t)-[:BETWEEN {side: 'a', scope: $scope, recorded_at: $at}]->(a)
  CREATE (t)-[:BETWEEN {side: 'b', scope: $scope, recorded_at: $at}]->(b)
}
RETURN t.id AS id, t.pair AS pair
ORDER BY pair

// knowledge/known_nodes, which of some ids are nodes in these scopes, with their labels and scopes; a source comes with
//                        what tells its statements apart
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $source_id STRING, $scopes LIST<STRING>
// columns:    id, label, scope, source
CYPHER 25 CALL () {
  UNWIND $ids AS id
  MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight|Session|Exchange|Pattern {id: id})
  WHERE n.scope IN $scopes
  RETURN DISTINCT id, labels(n)[0] AS label, n.scope AS scope, NULL AS source
  UNION
  MATCH (s:Source {id: $source_id})
  WHERE s.scope IN $scopes AND s.retracted_at IS NULL
  RETURN s.id AS id, 'Source' AS label, s.scope AS scope, s {.id, .kind, .title, .uri, .upstream, .site} AS source
}
RETURN id, label, scope, source
ORDER BY id
LIMIT 1000

// knowledge/tell_kinds, say of entities what kind of thing they are, where nobody has; a row is [id, kind]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<STRING>>, $scope STRING
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (e:Entity {id: row[0]})
WHERE e.scope = $scope AND e.kind = 'concept'
SET e.kind = row[1], e.version = coalesce(e.version, 1) + 1
