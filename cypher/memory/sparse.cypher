// memory/sparse, memories by words (BM25), with what was said before and after the first $near of them
// mode:       read
// returns:    many
// parameters: $words STRING, $scopes LIST<STRING>, $limit INTEGER, $near INTEGER
// columns:    id, scope, sequence, speaker, occurred_at, last_access_at, score, beside
CYPHER 25 CALL db.index.fulltext.queryNodes('memory_text', $words, {limit: $limit}) YIELD node AS n, score
WHERE n.scope IN $scopes
WITH n, score ORDER BY score DESC, n.id
WITH collect([n, score]) AS hits
UNWIND range(0, size(hits) - 1) AS place
WITH place, hits[place][0] AS n, hits[place][1] AS score
RETURN n.id AS id, n.scope AS scope, n.sequence AS sequence, n.speaker AS speaker, n.occurred_at AS occurred_at,
  n.last_access_at AS last_access_at, score,
  CASE WHEN place < $near THEN COLLECT {
    MATCH (next:Memory)
    WHERE next.scope = n.scope AND next.sequence IN [n.sequence - 1, n.sequence + 1]
    RETURN [next.id, next.scope, next.sequence, next.speaker, next.occurred_at, next.last_access_at] AS one
    ORDER BY next.sequence
  } ELSE [] END AS beside
ORDER BY place
