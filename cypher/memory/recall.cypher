// memory/dense_members, the nearest of all memories by cosine, with what was said before and after the first $near
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $scopes LIST<STRING>, $limit INTEGER, $near INTEGER
// columns:    id, scope, sequence, speaker, occurred_at, last_access_at, score, beside
CYPHER 25 MATCH (n:Memory)
SEARCH n IN (VECTOR INDEX memory_embedding FOR $embedding WHERE n.scope IN $scopes LIMIT $limit) SCORE AS similarity
WITH n, similarity ORDER BY similarity DESC, n.id
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

// memory/details, memories in full
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $dimension INTEGER
// columns:    id, name, content, metadata, scope, cluster_id, is_representative, speaker, timestamp, recorded_at,
//             last_access_at, embedding
CYPHER 25 UNWIND $ids AS id
MATCH (n:Memory {id: id})-[:MEMBER_OF]->(c:MemoryCluster)
WHERE n.scope IN $scopes
RETURN id, n.name AS name, n.content AS content, n.metadata AS metadata, n.scope AS scope, c.cluster_id AS cluster_id,
  coalesce(c.representative_id = n.id, c.size = 1) AS is_representative, n.speaker AS speaker,
  n.timestamp AS timestamp, n.recorded_at AS recorded_at, n.last_access_at AS last_access_at,
  vector(n.embedding, $dimension, FLOAT32) AS embedding
ORDER BY id
LIMIT 10000

// memory/contents, the texts of memories
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    id, content
CYPHER 25 UNWIND $ids AS id
MATCH (n:Memory {id: id})
WHERE n.scope IN $scopes
RETURN id, n.content AS content
ORDER BY id
LIMIT 10000

// memory/dense_passing, the nearest by cosine of all memories that may pass filters, compared one by one
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $scopes LIST<STRING>, $since ZONED DATETIME, $until ZONED DATETIME, $speaker STRING,
//             $written LIST<LIST<STRING>>, $limit INTEGER
// columns:    id, scope, sequence, speaker, occurred_at, last_access_at, score, metadata
CYPHER 25 MATCH (n:Memory)
WHERE n.scope IN $scopes AND n.sequence >= 0 AND ($since IS NULL OR n.occurred_at >= $since) AND ($until IS NULL OR n.occurred_at < $until)
  AND ($speaker IS NULL OR toLower(n.speaker) = toLower($speaker)) AND all(ways IN $written WHERE any(way IN ways WHERE n.metadata CONTAINS way))
WITH n, 2 * vector.similarity.cosine(n.embedding, $embedding) - 1 AS score
ORDER BY score DESC, n.id LIMIT $limit
RETURN n.id AS id, n.scope AS scope, n.sequence AS sequence, n.speaker AS speaker, n.occurred_at AS occurred_at,
  n.last_access_at AS last_access_at, score, n.metadata AS metadata
ORDER BY score DESC, id

// memory/sparse_passing, the best by words (BM25) of the memories that may pass filters and are as near as is asked for by
//                        cosine, among the first 10,000
// mode:       read
// returns:    many
// parameters: $words STRING, $embedding VECTOR, $least FLOAT, $scopes LIST<STRING>, $since ZONED DATETIME,
//             $until ZONED DATETIME, $speaker STRING, $written LIST<LIST<STRING>>, $limit INTEGER
// columns:    id, scope, sequence, speaker, occurred_at, last_access_at, score, metadata
CYPHER 25 CALL db.index.fulltext.queryNodes('memory_text', $words, {limit: 10000}) YIELD node AS n, score
WHERE n.scope IN $scopes AND ($since IS NULL OR n.occurred_at >= $since) AND ($until IS NULL OR n.occurred_at < $until)
  AND ($speaker IS NULL OR toLower(n.speaker) = toLower($speaker)) AND all(ways IN $written WHERE any(way IN ways WHERE n.metadata CONTAINS way))
  AND ($least IS NULL OR 2 * vector.similarity.cosine(n.embedding, $embedding) - 1 >= $least)
WITH n, score ORDER BY score DESC, n.id LIMIT $limit
RETURN n.id AS id, n.scope AS scope, n.sequence AS sequence, n.speaker AS speaker, n.occurred_at AS occurred_at,
  n.last_access_at AS last_access_at, score, n.metadata AS metadata
ORDER BY score DESC, id
