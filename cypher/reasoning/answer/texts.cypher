// reasoning/nearest_texts, passages, beliefs, memories, values, experiences and insights near a question: one ranking by
//                          meaning, and one by words for each full-text index, for one fusion; what is not held, in
//                          quarantine, not yet known or not valid at the clocks is left out; beliefs of other statuses take
//                          no place of one that is held; what holds until one that has taken its place begins comes with that
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $limit INTEGER, $valid ZONED DATETIME,
//             $recorded ZONED DATETIME, $hidden_texts LIST<STRING>, $statuses LIST<STRING>
// columns:    ranking, id, kind, name, text, confidence, sources, named, score
CYPHER 25 CALL () {
  MATCH (n:Passage)
  SEARCH n IN (VECTOR INDEX passage_embedding FOR $embedding WHERE n.scope IN $scopes LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, n, score
  UNION ALL
  MATCH (n:Belief)
  SEARCH n IN (VECTOR INDEX belief_embedding FOR $embedding WHERE n.scope IN $scopes AND n.status IN $statuses LIMIT $limit) SCORE AS score
  UNWIND CASE WHEN n.valid_from > $valid THEN [n] + COLLECT {
    MATCH (n)-[:SUPERSEDES*1..20]->(older:Belief)
    WHERE older.scope IN $scopes AND older.valid_until > $valid AND size(older.embedding) = size(n.embedding)
    RETURN DISTINCT older
  } ELSE [n] END AS one
  RETURN 'dense' AS ranking, one AS n, CASE WHEN one = n THEN score ELSE vector.similarity.cosine(one.embedding, $embedding) END AS score
  UNION ALL
  MATCH (n:Memory)
  SEARCH n IN (VECTOR INDEX memory_embedding FOR $embedding WHERE n.scope IN $scopes LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, n, score
  UNION ALL
  MATCH (n:Value)
  SEARCH n IN (VECTOR INDEX value_embedding FOR $embedding WHERE n.scope IN $scopes LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, n, score
  UNION ALL
  MATCH (n:Experience)
  SEARCH n IN (VECTOR INDEX experience_full FOR $embedding WHERE n.scope IN $scopes LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, n, score
  UNION ALL
  MATCH (n:Insight)
  SEARCH n IN (VECTOR INDEX insight_embedding FOR $embedding WHERE n.scope IN $scopes AND n.quarantined = false LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, n, score
  UNION ALL
  // beliefs and insights that others took the place of stay in the index, and are left out below
  UNWIND [['passage_text', 1], ['belief_text', 5], ['memory_text', 1], ['value_text', 1], ['insight_text', 5]] AS one
  CALL db.index.fulltext.queryNodes(one[0], $words, {limit: one[1] * $limit}) YIELD node AS n, score
  WHERE n.scope IN $scopes
  RETURN one[0] AS ranking, n, score
}
WITH ranking, n, score, coalesce(n.text, n.content) AS text
WHERE text IS NOT NULL AND (n.merged_into IS NULL OR n.archived_at > $recorded) AND NOT n.id IN $hidden_texts
  AND (n.recorded_at IS NULL OR n.recorded_at <= $recorded)
  AND (n.retracted_at IS NULL OR n.retracted_at > $recorded)
  AND (n.archived_at IS NULL OR n.archived_at > $recorded)
  AND coalesce(n.quarantined, false) = false AND NOT (n:Insight AND EXISTS { (n)<-[:SUPERSEDES]-(:Insight) })
  AND (n.valid_from IS NULL OR n.valid_from <= $valid)
  // the end as it was known: what took its place may have come, or been moved back, later
  AND (n.valid_until IS NULL OR coalesce(
    CASE WHEN n.superseded_at > $recorded THEN n.given_until
         WHEN n.superseded_at IS NULL THEN n.valid_until
         ELSE coalesce(n.ends[size([at IN n.ends_at WHERE at <= $recorded]) - 1], n.valid_until) END > $valid, true))
WITH ranking, n, score, text ORDER BY score DESC, n.id
WITH ranking, collect([n, score, text]) AS found
UNWIND CASE ranking WHEN 'dense' THEN found ELSE found[..$limit] END AS one
WITH ranking, one[0] AS n, one[1] AS score, one[2] AS text
RETURN ranking, n.id AS id, toLower(head(labels(n))) AS kind, coalesce(n.name, n.title, '') AS name, text,
  n.overall AS confidence, coalesce(n.sources, 0) AS sources,
  size([voice IN coalesce(n.voices, []) WHERE voice STARTS WITH 'o:']) AS named, score
ORDER BY ranking, score DESC, id
LIMIT 3000

// reasoning/passing_texts, the texts near a question that are not hidden, compared one by one: rankings and what is left
//                          out are those of reasoning/nearest_texts; words among the first 10,000 of an index
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $limit INTEGER, $valid ZONED DATETIME,
//             $recorded ZONED DATETIME, $hidden_texts LIST<STRING>, $statuses LIST<STRING>
// columns:    ranking, id, kind, name, text, confidence, sources, named, score
CYPHER 25 CALL () {
  MATCH (n:Passage|Belief|Memory|Value|Experience|Insight)
  WHERE n.scope IN $scopes AND n.embedding IS NOT NULL AND NOT n.id IN $hidden_texts
    AND (NOT n:Belief OR n.status IN $statuses OR n.status = 'superseded' AND n.valid_until > $valid)
  RETURN 'dense' AS ranking, n, vector.similarity.cosine(n.embedding, $embedding) AS score
  UNION ALL
  UNWIND ['passage_text', 'belief_text', 'memory_text', 'value_text', 'insight_text'] AS ranking
  CALL db.index.fulltext.queryNodes(ranking, $words, {limit: 10000}) YIELD node AS n, score
  WHERE n.scope IN $scopes AND NOT n.id IN $hidden_texts
  RETURN ranking, n, score
}
WITH ranking, n, score, coalesce(n.text, n.content) AS text
WHERE text IS NOT NULL AND (n.merged_into IS NULL OR n.archived_at > $recorded)
  AND (n.recorded_at IS NULL OR n.recorded_at <= $recorded)
  AND (n.retracted_at IS NULL OR n.retracted_at > $recorded)
  AND (n.archived_at IS NULL OR n.archived_at > $recorded)
  AND coalesce(n.quarantined, false) = false AND NOT (n:Insight AND EXISTS { (n)<-[:SUPERSEDES]-(:Insight) })
  AND (n.valid_from IS NULL OR n.valid_from <= $valid)
  // the end as it was known: what took its place may have come, or been moved back, later
  AND (n.valid_until IS NULL OR coalesce(
    CASE WHEN n.superseded_at > $recorded THEN n.given_until
         WHEN n.superseded_at IS NULL THEN n.valid_until
         ELSE coalesce(n.ends[size([at IN n.ends_at WHERE at <= $recorded]) - 1], n.valid_until) END > $valid, true))
WITH ranking, n, score, text ORDER BY score DESC, n.id
WITH ranking, collect([n, score, text])[..$limit] AS best
UNWIND best AS one
WITH ranking, one[0] AS n, one[1] AS score, one[2] AS text
RETURN ranking, n.id AS id, toLower(head(labels(n))) AS kind, coalesce(n.name, n.title, '') AS name, text,
  n.overall AS confidence, coalesce(n.sources, 0) AS sources,
  size([voice IN coalesce(n.voices, []) WHERE voice STARTS WITH 'o:']) AS named, score
ORDER BY ranking, score DESC, id
LIMIT 3000
