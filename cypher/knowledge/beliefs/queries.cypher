// knowledge/search_beliefs, beliefs that may answer a question: near by meaning, by words, and, where the question is
//                           narrowed to domains or an entity, what the narrowing leaves; and what still holds until one
//                           of them begins that has taken its place; similarity is the cosine. properties() reads a node once; forty single reads of one take five times as long
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $narrow STRING, $entity_id STRING, $fields LIST<STRING>,
//             $scopes LIST<STRING>, $statuses LIST<STRING>, $now ZONED DATETIME, $limit INTEGER
// columns:    fields, similarity, recorded_us, confirmed_us, entities
CYPHER 25 CALL () {
  MATCH (n:Belief)
  SEARCH n IN (VECTOR INDEX belief_embedding FOR $embedding WHERE n.scope IN $scopes AND n.status IN $statuses LIMIT $limit) SCORE AS score
  RETURN n, 2 * score - 1 AS cosine
  UNION
  WITH $words AS words WHERE words <> ''
  CALL db.index.fulltext.queryNodes('belief_text', words, {limit: 5 * $limit}) YIELD node AS n, score
  WHERE n.scope IN $scopes AND n.status IN $statuses
  WITH n ORDER BY score DESC, n.id LIMIT $limit
  RETURN n, NULL AS cosine
  UNION
  WITH $narrow AS narrow WHERE narrow <> ''
  CALL db.index.fulltext.queryNodes('belief_text', narrow, {limit: 5 * $limit}) YIELD node AS n
  WHERE n.scope IN $scopes AND n.status IN $statuses
  RETURN n, NULL AS cosine
  UNION
  MATCH (e:Entity {id: $entity_id})<-[:ABOUT]-(n:Belief)
  WHERE e.scope IN $scopes AND n.scope IN $scopes AND n.status IN $statuses
  RETURN n, NULL AS cosine
  ORDER BY n.recorded_at DESC, n.id
  LIMIT 10 * $limit
}
CALL (n, cosine) {
  RETURN n AS held, cosine AS near
  UNION
  MATCH (n)-[:SUPERSEDES*1..20]->(held:Belief)
  WHERE n.valid_from > $now AND held.scope IN $scopes AND held.valid_until > $now
  RETURN held, NULL AS near
}
WITH held AS n, max(near) AS cosine
WITH n, properties(n) AS known, coalesce(cosine, 2 * vector.similarity.cosine(n.embedding, $embedding) - 1) AS similarity
RETURN [name IN $fields | known[name]] AS fields, similarity,
  known.recorded_at.epochSeconds * 1000000 + known.recorded_at.microsecond AS recorded_us,
  known.confirmed_at.epochSeconds * 1000000 + known.confirmed_at.microsecond AS confirmed_us,
  COLLECT { MATCH (n)-[about:ABOUT]->(e:Entity) WHERE e.scope IN $scopes
            RETURN [e.id, e.name, e.kind, about.role] ORDER BY about.role DESC, e.name, e.id LIMIT 100 } AS entities
ORDER BY similarity DESC, n.id
LIMIT 2000

// knowledge/note_recall, beliefs were told to authors and sessions: what those say of them again corroborates nothing. A
//                        row is {belief_id, entry, session_id}, the entry "author seconds"; a session that is not there
//                        is not noted
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scopes LIST<STRING>, $at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (b:Belief {id: row.belief_id})
WHERE b.scope IN $scopes
SET b.recalled_at = $at
WITH b, row, split(row.entry, ' ')[0] + ' ' AS author
SET b.told_to = [row.entry] + [entry IN coalesce(b.told_to, []) WHERE NOT entry STARTS WITH author][..999]
WITH b, row
WHERE NOT row.session_id IN coalesce(b.recalled_in, []) AND EXISTS { (:Session {id: row.session_id}) }
SET b.recalled_in = [row.session_id] + coalesce(b.recalled_in, [])[..19]

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

// knowledge/count_beliefs, how many beliefs of each status there are in some scopes
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    status, count
CYPHER 25 MATCH (b:Belief)
WHERE b.scope IN $scopes AND b.id > ''
RETURN b.status AS status, count(*) AS count
ORDER BY status
LIMIT 10
