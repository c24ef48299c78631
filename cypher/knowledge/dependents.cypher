// knowledge/dependents, what rests directly on some nodes ([label, id]): derived from or supported by one, said by a
//                       source, or answered from one; with what else each rests on. A belief's sources are those that
//                       still stand: [id, recalled]
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>, $limit INTEGER
// columns:    on, label, id, name, kind, scope, by, parents, sources, independent, gone
CYPHER 25 UNWIND $nodes AS node
MATCH (y:$(node[0]) {id: node[1]})
WHERE y.scope IN $scopes
CALL (y) {
  MATCH (x)-[r:DERIVED_FROM|SUPPORTED_BY]->(y)
  WHERE x.scope IN $scopes
  RETURN x, type(r) AS by
  UNION
  MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(y:Source)
  WHERE x.scope IN $scopes AND p.retracted_at IS NULL
  RETURN x, 'HAS_PROVENANCE' AS by
  UNION
  MATCH (x:Document|Session)-[:FROM]->(y:Source)
  WHERE x.scope IN $scopes
  RETURN x, 'FROM' AS by
  UNION
  MATCH (y)-[:HAS_PASSAGE]->(x:Passage)
  WHERE x.scope IN $scopes
  RETURN x, 'HAS_PASSAGE' AS by
  UNION
  MATCH (x:Evidence)
  WHERE x.unit = y.id AND x.scope IN $scopes
  RETURN x, 'UNIT' AS by
  UNION
  MATCH (x:ThoughtSeed)
  WHERE x.concept_id = y.id AND x.scope IN $scopes
  RETURN x, 'CONCEPT' AS by
  UNION
  MATCH (x:EmergentPattern)-[:GENERATED_BY]->(y:ThoughtSeed)
  WHERE x.scope IN $scopes
  RETURN x, 'GENERATED_BY' AS by
  UNION
  MATCH (x:Run)-[:SELECTED]->(y:Evidence)
  WHERE x.scope IN $scopes
  RETURN x, 'SELECTED' AS by
  UNION
  MATCH (x:Run)-[:HAS_STEP]->(:RunStep)-[:VISITED]->(y)
  WHERE x.scope IN $scopes
  RETURN x, 'VISITED' AS by
}
WITH DISTINCT y.id AS on, x, by
ORDER BY x.id, by
LIMIT $limit
RETURN on, labels(x)[0] AS label, x.id AS id, left(coalesce(x.name, x.title, x.content, x.text, x.query, x.concept, ''), 80) AS name,
  coalesce(x.extraction_method, x.kind, '') AS kind, x.scope AS scope, by,
  COLLECT { MATCH (x)-[:DERIVED_FROM|GENERATED_BY]->(z) WHERE z.retracted_at IS NULL RETURN [labels(z)[0], z.id] ORDER BY z.id } AS parents,
  COLLECT { MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
            WHERE p.retracted_at IS NULL AND s.retracted_at IS NULL AND NOT coalesce(p.recalled, false)
            RETURN DISTINCT s.id ORDER BY s.id } AS sources,
  coalesce(x.sources, 0) AS independent, x.retracted_at IS NOT NULL OR x.merged_into IS NOT NULL AS gone
