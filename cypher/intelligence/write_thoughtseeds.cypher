// intelligence/write_thoughtseeds, seeds of concepts that were met, each with its concept's vector; what is there stays
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $threshold FLOAT
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (seed:ThoughtSeed {id: row.id})
ON CREATE SET seed.scope = row.scope, seed.scopes = row.scopes, seed.concept = row.concept,
  seed.concept_id = row.concept_id, seed.source_doc = row.source_doc, seed.created_at = row.created_at,
  seed.recorded_at = row.created_at, seed.status = 'active', seed.similarity_threshold = $threshold,
  seed.linked_documents = [], seed.linked = false
WITH seed, row
WHERE seed.embedding IS NULL
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: row.concept_id})
WHERE n.scope IN row.scopes AND n.embedding IS NOT NULL
SET seed.embedding = n.embedding, seed.embedding_model = n.embedding_model, seed.basin_strength = n.basin_strength
