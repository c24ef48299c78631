// memory/dense, members of the nearest clusters by cosine, with what was said before and after the first $near of them
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $scopes LIST<STRING>, $limit INTEGER, $near INTEGER
// columns:    id, scope, sequence, speaker, occurred_at, last_access_at, score, beside
CYPHER 25 MATCH (c:MemoryCluster)
SEARCH c IN (VECTOR INDEX memory_cluster_prototype FOR $embedding WHERE c.scope IN $scopes LIMIT $limit) SCORE AS nearness
CALL (c, nearness) {
  MATCH (n:Memory)-[:MEMBER_OF]->(c)
  WITH n, CASE WHEN c.size = 1 THEN nearness ELSE vector.similarity.cosine(n.embedding, $embedding) END AS similarity
  ORDER BY similarity DESC, n.id LIMIT $limit
  RETURN n, similarity
}
WITH n, similarity ORDER BY similarity DESC, n.id LIMIT $limit
WITH collect([n, similarity]) AS hits
UNWIND range(0, size(hits) - 1) AS place
WITH place, hits[place][0] AS n, 2 * hits[place][1] - 1 AS score
RETURN n.id AS id, n.scope AS scope, n.sequence AS sequence, n.speaker AS speaker, n.occurred_at AS occurred_at,
  n.last_access_at AS last_access_at, score,
  CASE WHEN place < $near THEN COLLECT {
    MATCH (next:Memory)
    WHERE next.scope = n.scope AND next.sequence IN [n.sequence - 1, n.sequence + 1]
    RETURN [next.id, next.scope, next.sequence, next.speaker, next.occurred_at, next.last_access_at] AS one
    ORDER BY next.sequence
  } ELSE [] END AS beside
ORDER BY place
