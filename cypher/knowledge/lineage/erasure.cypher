// knowledge/orphaned_entities, entities that only some nodes speak of; what merely visited or asked is no tie
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    label, id, name, runs
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
MATCH (n)-[:ABOUT|MENTIONS]->(e:Entity)
WHERE e.scope = n.scope
WITH DISTINCT e
WHERE NOT EXISTS { MATCH (e)-[r]-(o) WHERE NOT o.id IN $ids AND NOT type(r) IN ['VISITED', 'ASKED_FROM', 'MAYBE_SAME_AS', 'HAS_BASIN'] }
RETURN 'Entity' AS label, e.id AS id, e.name AS name,
  COLLECT { MATCH (run:Run)-[:ASKED_FROM]->(e) RETURN run.id ORDER BY run.id } AS runs
ORDER BY id
LIMIT 10000

// knowledge/erasable_parts, what goes with some nodes ([label, id]) because it belongs to nothing that stays: statements
//                           and their provenance, evidence, tensions, merged twins, receipts, turns and steps; and what
//                           was noted of them while reasoning, in whatever scope: ThoughtSeeds, patterns, triggers
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    label, id
CYPHER 25 CALL () {
  MATCH (x:Receipt)
  WHERE x.scope IN $scopes AND (x.target IN $ids OR x.winner IN $ids OR x.loser IN $ids)
  RETURN x
  UNION
  UNWIND $nodes AS node
  MATCH (n:$(node[0]) {id: node[1]})
  WHERE n.scope IN $scopes
  CALL (n) {
    MATCH (n)-[:HAS_PROVENANCE]->(x:Provenance)
    WHERE NOT EXISTS { MATCH (o)-[:HAS_PROVENANCE]->(x) WHERE NOT o.id IN $ids AND NOT o:Evidence }
    RETURN x
    UNION
    MATCH (n)-[:SUPPORTED_BY]->(x:Evidence)
    WHERE NOT EXISTS { MATCH (o)-[:SUPPORTED_BY]->(x) WHERE NOT o.id IN $ids }
    RETURN x
    UNION
    MATCH (x:Evidence)-[:HAS_PROVENANCE]->(n:Provenance)
    RETURN x
    UNION
    MATCH (x:Evidence)
    WHERE x.unit = n.id
    RETURN x
    UNION
    MATCH (x:Tension)-[:BETWEEN]->(n)
    RETURN x
    UNION
    MATCH (x:Belief)-[:MERGED_INTO]->(n)
    RETURN x
    UNION
    MATCH (x:Provenance)-[:FROM]->(n:Source)
    RETURN x
    UNION
    MATCH (x:Exchange)-[:IN_SESSION]->(n:Session)
    RETURN x
    UNION
    MATCH (n)-[:HAS_PASSAGE]->(x:Passage)
    RETURN x
    UNION
    MATCH (n:Run)-[:HAS_STEP]->(x:RunStep)
    RETURN x
    UNION
    MATCH (x:ThoughtSeed)
    WHERE x.concept_id = n.id
    RETURN x
    UNION
    MATCH (x:EmergentPattern)-[:GENERATED_BY]->(n:ThoughtSeed)
    RETURN x
    UNION
    MATCH (x:CuriosityTrigger)-[:INVESTIGATES]->(n)
    RETURN x
    UNION
    MATCH (x:Evidence)-[:DERIVED_FROM]->(n:CuriosityTrigger)
    RETURN x
    UNION
    MATCH (n:Entity)-[:HAS_BASIN]->(x:AttractorBasin)
    RETURN x
    UNION
    WITH n WHERE n:AttractorBasin
    MATCH (x:BasinActivation {basin_id: n.id})
    RETURN x
    UNION
    MATCH (x:Kept)
    WHERE x.node_id = n.id
    RETURN x
  }
  RETURN x
}
WITH DISTINCT x
WHERE NOT x.id IN $ids
RETURN labels(x)[0] AS label, x.id AS id
ORDER BY label, id
LIMIT 100000

// knowledge/erase_nodes, remove nodes ([label, id]) for good; degrees of what was tied to them follow
// mode:       write
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    label, erased, vectors
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
CALL (n) {
  MATCH (n)-[r:ABOUT|MENTIONS|HAS_PASSAGE|MEMBER_OF|DERIVED_FROM]-(m)
  WHERE m.degree IS NOT NULL
  SET m.degree = m.degree - 1
  RETURN count(r) AS cut
}
WITH n, node[0] AS label, size([key IN keys(n) WHERE key ENDS WITH 'embedding']) AS vectors
DETACH DELETE n
RETURN label, count(*) AS erased, sum(vectors) AS vectors
ORDER BY label

// knowledge/erase_triples, remove relationships between entities that a source said, a slice at a time
// mode:       write
// returns:    one
// parameters: $source_id STRING, $scope STRING, $limit INTEGER
// columns:    erased, ends
CYPHER 25 MATCH (a:Entity)-[r]->(b:Entity)
WHERE a.scope = $scope AND r.source_id = $source_id
WITH a, r, b, type(r) AS kind LIMIT $limit
SET a.degree = a.degree - 1, b.degree = b.degree - CASE WHEN a = b THEN 0 ELSE 1 END
DELETE r
WITH kind, count(*) AS gone, collect(DISTINCT a.id) + collect(DISTINCT b.id) AS ends
CALL (kind, gone) {
  MATCH (t:RelationshipType {scope: $scope, name: kind})
  SET t.count = t.count - gone
}
RETURN coalesce(sum(gone), 0) AS erased, reduce(all = [], one IN collect(ends) | all + one) AS ends

// knowledge/lone_entities, those of some entities that nothing speaks of any more, nor of what they were merged into or
//                          with, and the runs that were asked from them
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING
// columns:    id, runs
CYPHER 25 UNWIND $ids AS id
MATCH (e:Entity {id: id})
WHERE e.scope = $scope AND all(one IN [e] + COLLECT { MATCH (e)-[:SAME_AS]-{1,20}(o:Entity) RETURN DISTINCT o } WHERE
  NOT EXISTS { MATCH (one)-[r]-() WHERE NOT type(r) IN ['VISITED', 'ASKED_FROM', 'MAYBE_SAME_AS', 'HAS_BASIN', 'SAME_AS'] })
RETURN DISTINCT id, COLLECT { MATCH (run:Run)-[:ASKED_FROM]->(e) RETURN run.id ORDER BY run.id } AS runs
ORDER BY id

// knowledge/count_said, how many relationships a source says, and entities that it alone speaks of
// mode:       read
// returns:    one
// parameters: $source_id STRING, $scope STRING
// columns:    triples, entities
CYPHER 25 CALL () {
  MATCH (a:Entity)-[r]->(b:Entity)
  WHERE a.scope = $scope AND r.source_id = $source_id
  RETURN count(r) AS triples, collect(DISTINCT a) + collect(DISTINCT b) AS ends
}
CALL (ends) {
  UNWIND ends AS e
  WITH DISTINCT e
  WHERE e.scope = $scope AND NOT EXISTS {
    MATCH (e)-[r]-()
    WHERE coalesce(r.source_id, '') <> $source_id
      AND NOT type(r) IN ['VISITED', 'ASKED_FROM', 'MAYBE_SAME_AS', 'HAS_BASIN', 'SAME_AS']
  }
  RETURN count(e) AS entities
}
RETURN triples, entities
