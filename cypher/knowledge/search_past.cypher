// knowledge/search_past, like knowledge/search_beliefs among what was known at an instant: later beliefs take no place
//                        of the earlier ones, neither in the vector index nor in the full-text index ($words names the
//                        range), and whatever became of a belief since is left to the caller
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $narrow STRING, $entity_id STRING, $fields LIST<STRING>,
//             $scopes LIST<STRING>, $recorded ZONED DATETIME, $limit INTEGER
// columns:    fields, similarity, recorded_us, confirmed_us, entities
CYPHER 25 CALL () {
  MATCH (n:Belief)
  SEARCH n IN (VECTOR INDEX belief_embedding FOR $embedding WHERE n.scope IN $scopes AND n.recorded_at <= $recorded LIMIT $limit) SCORE AS score
  RETURN n, 2 * score - 1 AS cosine
  UNION
  WITH $words AS words WHERE words <> ''
  CALL db.index.fulltext.queryNodes('belief_text', words, {limit: $limit}) YIELD node AS n
  WHERE n.scope IN $scopes AND n.recorded_at <= $recorded
  RETURN n, NULL AS cosine
  UNION
  WITH $narrow AS narrow WHERE narrow <> ''
  CALL db.index.fulltext.queryNodes('belief_text', narrow, {limit: 5 * $limit}) YIELD node AS n
  WHERE n.scope IN $scopes AND n.recorded_at <= $recorded
  RETURN n, NULL AS cosine
  UNION
  MATCH (e:Entity {id: $entity_id})<-[:ABOUT]-(n:Belief)
  WHERE e.scope IN $scopes AND n.scope IN $scopes AND n.recorded_at <= $recorded
  RETURN n, NULL AS cosine
  ORDER BY n.recorded_at DESC, n.id
  LIMIT 10 * $limit
}
WITH n, max(cosine) AS cosine
WITH n, properties(n) AS known, coalesce(cosine, 2 * vector.similarity.cosine(n.embedding, $embedding) - 1) AS similarity
RETURN [name IN $fields | known[name]] AS fields, similarity,
  known.recorded_at.epochSeconds * 1000000 + known.recorded_at.microsecond AS recorded_us,
  known.confirmed_at.epochSeconds * 1000000 + known.confirmed_at.microsecond AS confirmed_us,
  COLLECT { MATCH (n)-[about:ABOUT]->(e:Entity) WHERE e.scope IN $scopes
            RETURN [e.id, e.name, e.kind, about.role] ORDER BY about.role DESC, e.name, e.id LIMIT 100 } AS entities
ORDER BY similarity DESC, n.id
LIMIT 2000
