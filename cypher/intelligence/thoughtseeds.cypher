// intelligence/write_thoughtseeds, seeds of concepts that were met, each with its concept's vector and the basin that the
//                                  concept had then (its neighbours by id: their names are theirs); what is there stays
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $threshold FLOAT, $neighbours INTEGER
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (seed:ThoughtSeed {id: row.id})
ON CREATE SET seed.scope = row.scope, seed.scopes = row.scopes, seed.concept = row.concept,
  seed.concept_id = row.concept_id, seed.source_doc = row.source_doc, seed.created_at = row.created_at,
  seed.recorded_at = row.created_at, seed.status = 'active', seed.similarity_threshold = $threshold,
  seed.linked_documents = [], seed.linked = false
CALL (seed, row) {
  WITH seed, row WHERE seed.basin_activation_count IS NULL
  OPTIONAL MATCH (:Entity {id: row.concept_id})-[:HAS_BASIN]->(basin:AttractorBasin)
  WHERE basin.scope IN row.scopes
  WITH seed, row, basin ORDER BY basin.entity_id <> row.concept_id, basin.id LIMIT 1
  WITH seed, basin, CASE WHEN basin IS NULL THEN [] ELSE COLLECT {
    MATCH (basin)-[pair:CO_OCCURS_WITH]-(other:AttractorBasin)
    WHERE other.scope IN row.scopes
    RETURN [other.id, pair.count] ORDER BY pair.count DESC, other.id LIMIT $neighbours
  } END AS pairs
  SET seed.basin_strength = coalesce(basin.strength, 1.0), seed.basin_activation_count = coalesce(basin.activation_count, 0),
    seed.basin_neighbours = [pair IN pairs | pair[0]], seed.basin_counts = [pair IN pairs | pair[1]]
}
WITH seed, row
WHERE seed.embedding IS NULL
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: row.concept_id})
WHERE n.scope IN row.scopes AND n.embedding IS NOT NULL
SET seed.embedding = n.embedding, seed.embedding_model = n.embedding_model

// intelligence/thoughtseed, one seed with the basin that its concept had when it was made
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    seed, strength, activation_count, co_occurring
CYPHER 25 MATCH (seed:ThoughtSeed {id: $id})
WHERE seed.scope IN $scopes AND all(scope IN coalesce(seed.scopes, [])
  WHERE scope IN $scopes OR NOT EXISTS { MATCH (known:Scope) WHERE known.id = scope })
RETURN seed {.id, .concept, .source_doc, .similarity_threshold, .linked_documents, .created_at} AS seed,
  seed.basin_strength AS strength, seed.basin_activation_count AS activation_count, COLLECT {
    UNWIND range(0, size(coalesce(seed.basin_neighbours, [])) - 1) AS place
    MATCH (other:AttractorBasin {id: seed.basin_neighbours[place]})
    WHERE other.scope IN $scopes
    RETURN [other.name, seed.basin_counts[place]] ORDER BY place
  } AS co_occurring
LIMIT 1

// intelligence/unlinked_thoughtseeds, seeds that were written and not linked yet
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (seed:ThoughtSeed)
USING INDEX seed:ThoughtSeed(linked, id)
WHERE seed.linked = false AND seed.id > '' AND seed.scope IN $scopes AND seed.embedding IS NOT NULL
RETURN seed.id AS id
ORDER BY id
LIMIT $limit

// intelligence/archive_thoughtseeds, archive the oldest active seeds that were made before an instant; none is deleted
// mode:       write
// returns:    one
// parameters: $scopes LIST<STRING>, $before ZONED DATETIME, $now ZONED DATETIME, $limit INTEGER
// columns:    archived
CYPHER 25 MATCH (seed:ThoughtSeed)
WHERE seed.scope IN $scopes AND seed.status = 'active' AND seed.created_at < $before
WITH seed ORDER BY seed.id LIMIT $limit
SET seed.status = 'archived', seed.archived_at = $now
RETURN count(seed) AS archived

// intelligence/near_thoughtseeds, for each seed the nearest seeds of other documents and the nearest basins; only where
//                                 those of its own document fill the first search are the sources on both sides of its
//                                 own searched apart: the index knows no "other than", and goes through all of a range
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $links INTEGER, $basins INTEGER
// columns:    id, related, attracted
CYPHER 25 UNWIND $ids AS id
MATCH (seed:ThoughtSeed {id: id})
WHERE seed.scope IN $scopes
CALL (seed) {
  MATCH (other:ThoughtSeed)
  SEARCH other IN (VECTOR INDEX thoughtseed_embedding FOR seed.embedding WHERE other.scope = seed.scope LIMIT 2 * $links)
    SCORE AS score
  RETURN count(other) AS found, collect(CASE WHEN other.source_doc <> seed.source_doc THEN [other, score] END) AS first
}
OPTIONAL CALL (seed, found, first) {
  WITH seed, found, first
  WHERE found < 2 * $links OR size(first) >= $links
  UNWIND first AS one
  RETURN one[0] AS other, one[1] AS score
  UNION ALL
  WITH seed, found, first
  WHERE found = 2 * $links AND size(first) < $links
  MATCH (other:ThoughtSeed)
  SEARCH other IN (VECTOR INDEX thoughtseed_embedding FOR seed.embedding
                   WHERE other.scope = seed.scope AND other.source_doc < seed.source_doc LIMIT $links) SCORE AS score
  RETURN other, score
  UNION ALL
  WITH seed, found, first
  WHERE found = 2 * $links AND size(first) < $links
  MATCH (other:ThoughtSeed)
  SEARCH other IN (VECTOR INDEX thoughtseed_embedding FOR seed.embedding
                   WHERE other.scope = seed.scope AND other.source_doc > seed.source_doc LIMIT $links) SCORE AS score
  RETURN other, score
}
WITH seed, other, 2 * score - 1 AS similarity
ORDER BY similarity DESC, other.id
WITH seed, collect(CASE WHEN similarity >= seed.similarity_threshold THEN [other.id, similarity] END)[..$links] AS related
CALL (seed) {
  MATCH (basin:AttractorBasin)
  SEARCH basin IN (VECTOR INDEX attractor_basin_embedding FOR seed.embedding WHERE basin.scope IN seed.scopes LIMIT $basins)
    SCORE AS score
  WITH basin, 2 * score - 1 AS similarity
  ORDER BY similarity DESC, basin.id
  RETURN collect([basin.id, similarity]) AS attracted
}
RETURN seed.id AS id, related, attracted
ORDER BY id
LIMIT 10000

// intelligence/relate_thoughtseeds, link seeds of different documents, one relationship for a pair, and name each other's
//                                   document; rows are in the order of their ids, so that linkers never lock each other out
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scopes LIST<STRING>, $most INTEGER
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (one:ThoughtSeed {id: row.one})
MATCH (other:ThoughtSeed {id: row.other})
WHERE one.scope IN $scopes AND other.scope IN $scopes
MERGE (one)-[link:RELATED_THOUGHTSEED]->(other)
SET link.scope = one.scope, link.recorded_at = coalesce(link.recorded_at, one.recorded_at),
    link.similarity = row.similarity,
    link.temporal_distance_days = abs(duration.inSeconds(one.created_at, other.created_at).seconds) / 86400.0,
    one.linked_documents = CASE
      WHEN other.source_doc IN one.linked_documents OR size(one.linked_documents) >= $most THEN one.linked_documents
      ELSE one.linked_documents + other.source_doc
    END,
    other.linked_documents = CASE
      WHEN one.source_doc IN other.linked_documents OR size(other.linked_documents) >= $most THEN other.linked_documents
      ELSE other.linked_documents + one.source_doc
    END

// intelligence/attract_thoughtseeds, seeds and the basins that attract them
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (basin:AttractorBasin {id: row.basin})
MATCH (seed:ThoughtSeed {id: row.seed})
WHERE seed.scope IN $scopes
MERGE (seed)-[pull:ATTRACTED_TO]->(basin)
SET pull.scope = seed.scope, pull.recorded_at = seed.recorded_at, pull.similarity = row.similarity

// intelligence/linked_thoughtseeds, note that seeds were linked
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (seed:ThoughtSeed {id: id})
WHERE seed.scope IN $scopes
SET seed.linked = true

// intelligence/emergent_patterns, a pattern for each basin that attracts enough seeds of a scope; what it grew from is kept
// mode:       write
// returns:    many
// parameters: $basins LIST<STRING>, $scopes LIST<STRING>, $least INTEGER, $now ZONED DATETIME
// columns:    id, seed_count
CYPHER 25 UNWIND $basins AS id
MATCH (basin:AttractorBasin {id: id})<-[:ATTRACTED_TO]-(seed:ThoughtSeed)
WHERE seed.scope IN $scopes
WITH basin, seed.scope AS scope, seed
ORDER BY seed.created_at, seed.id
WITH basin, scope, count(seed) AS seeds, collect(DISTINCT seed.concept)[..20] AS concepts, collect(seed)[..100] AS first
WHERE seeds >= $least
MERGE (pattern:EmergentPattern {id: 'pat_' + basin.id + '_' + scope})
ON CREATE SET pattern.scope = scope, pattern.recorded_at = $now, pattern.name = basin.name, pattern.version = 0,
  pattern.basin_id = basin.id
SET pattern.seed_count = seeds, pattern.concepts = concepts, pattern.last_seen = $now, pattern.version = pattern.version + 1
WITH pattern, seeds, first
CALL (pattern, first) {
  UNWIND first AS seed
  MERGE (pattern)-[made:GENERATED_BY]->(seed)
  ON CREATE SET made.scope = pattern.scope, made.recorded_at = pattern.last_seen
}
RETURN pattern.id AS id, seeds AS seed_count
ORDER BY id
LIMIT 10000
