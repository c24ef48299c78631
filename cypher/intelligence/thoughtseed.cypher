// intelligence/thoughtseed, one seed with the basin of its concept
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $neighbours INTEGER
// columns:    seed, strength, activation_count, co_occurring
CYPHER 25 MATCH (seed:ThoughtSeed {id: $id})
WHERE seed.scope IN $scopes
OPTIONAL MATCH (entity:Entity {id: seed.concept_id})-[:HAS_BASIN]->(basin:AttractorBasin)
WHERE basin.scope IN $scopes
RETURN seed {.id, .concept, .source_doc, .similarity_threshold, .linked_documents, .created_at} AS seed,
  basin.strength AS strength, basin.activation_count AS activation_count,
  CASE WHEN basin IS NULL THEN [] ELSE COLLECT {
    MATCH (basin)-[pair:CO_OCCURS_WITH]-(other:AttractorBasin)
    WHERE other.scope IN $scopes
    RETURN [other.name, pair.count] ORDER BY pair.count DESC, other.id LIMIT $neighbours
  } END AS co_occurring
LIMIT 1
