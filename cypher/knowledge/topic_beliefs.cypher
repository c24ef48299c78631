// knowledge/topic_beliefs, active beliefs on a topic by meaning or by words, with what they are about and who says them
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $entity_id STRING, $least FLOAT, $limit INTEGER
// columns:    id, overall, entities, sources
CYPHER 25 CALL () {
  MATCH (b:Belief)
  SEARCH b IN (VECTOR INDEX belief_embedding FOR $embedding WHERE b.scope IN $scopes AND b.status = 'active' LIMIT $limit)
    SCORE AS score
  WITH b, score
  WHERE 2.0 * score - 1.0 >= $least
  RETURN b
  UNION
  CALL db.index.fulltext.queryNodes('belief_text', $words, {limit: $limit}) YIELD node AS b
  WHERE b.scope IN $scopes AND b.status = 'active'
  RETURN b
}
WITH DISTINCT b
WHERE b.retracted_at IS NULL AND b.merged_into IS NULL
  AND ($entity_id IS NULL OR EXISTS { MATCH (b)-[:ABOUT]->(about:Entity) WHERE about.id = $entity_id })
RETURN b.id AS id, b.overall AS overall,
  COLLECT { MATCH (b)-[:ABOUT]->(e:Entity) WHERE e.scope IN $scopes AND e.merged_into IS NULL
            WITH DISTINCT e ORDER BY e.id RETURN [e.id, e.name] } AS entities,
  COLLECT { MATCH (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
            WHERE s.scope IN $scopes AND p.retracted_at IS NULL AND s.retracted_at IS NULL
            WITH DISTINCT s ORDER BY s.id RETURN [s.id, coalesce(s.title, s.name, s.id)] } AS sources
ORDER BY id
LIMIT 1000
