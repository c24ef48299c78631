// reasoning/seed_vectors, entities near a question in meaning, where none is named: of $looked those that were known then
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $embedding VECTOR, $looked INTEGER, $limit INTEGER, $as_of_recorded DATETIME
// columns:    id, scope, name, degree, similarity
CYPHER 25 MATCH (n:Entity)
SEARCH n IN (VECTOR INDEX entity_embedding FOR $embedding WHERE n.scope IN $scopes LIMIT $looked) SCORE AS score
WITH n, 2 * score - 1 AS similarity
WHERE ($as_of_recorded IS NULL OR n.recorded_at <= $as_of_recorded)
  AND (n.merged_into IS NULL OR n.archived_at > $as_of_recorded)
  AND (n.retracted_at IS NULL OR n.retracted_at > $as_of_recorded)
WITH n, similarity ORDER BY similarity DESC, n.id LIMIT $limit
RETURN n.id AS id, n.scope AS scope, n.name AS name, coalesce(n.degree, 0) AS degree, similarity
ORDER BY similarity DESC, id

// reasoning/seed_names, entities that a text may name: by id, by look-up key, and by the words of names and aliases
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $ids LIST<STRING>, $keys LIST<STRING>, $words STRING, $limit INTEGER, $as_of_recorded DATETIME
// columns:    id, scope, name, aliases, degree, hops, relevance
CYPHER 25 CALL () {
  MATCH (n:Entity)
  WHERE n.id IN $ids AND n.scope IN $scopes
  RETURN n, 0.0 AS score
  UNION ALL
  MATCH (n:Entity)
  WHERE n.scope IN $scopes AND n.name_key IN $keys
  WITH n ORDER BY n.degree DESC, n.id LIMIT 256
  RETURN n, 0.0 AS score
  UNION ALL
  CALL db.index.fulltext.queryNodes('entity_names', $words, {limit: $limit}) YIELD node, score
  WHERE node.scope IN $scopes
  RETURN node AS n, score
}
WITH n, max(score) AS relevance
WHERE ($as_of_recorded IS NULL OR n.recorded_at <= $as_of_recorded)
  AND (n.merged_into IS NULL OR n.archived_at > $as_of_recorded OR n.id IN $ids)
  // The types of a hub are left out: reading them would cost as much as it has relationships.
RETURN n.id AS id, n.scope AS scope, n.name AS name, coalesce(n.aliases, []) AS aliases,
  coalesce(n.degree, 0) AS degree, relevance,
  COLLECT {
    MATCH (n)-[r]-()
    WHERE n.degree <= 200
    RETURN DISTINCT CASE WHEN startNode(r) = n THEN '>' ELSE '<' END + type(r) AS hop ORDER BY hop LIMIT 64
  } AS hops
ORDER BY relevance DESC, degree DESC, id
