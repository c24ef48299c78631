// insights/candidates, insights on a topic since an instant that are most similar to a vector; superseded ones left out
// mode:       read
// returns:    many
// parameters: $topic_id STRING, $scope STRING, $since ZONED DATETIME, $embedding VECTOR, $dimension INTEGER,
//             $exclude LIST<STRING>, $limit INTEGER
// columns:    insight, embedding, similarity
CYPHER 25 MATCH (:Topic {id: $topic_id})<-[:ON_TOPIC]-(n:Insight)
WHERE n.scope = $scope AND n.quarantined = false AND n.retracted_at IS NULL AND n.created_at >= $since
  AND NOT n.id IN $exclude AND size(n.embedding) = $dimension AND NOT EXISTS { (n)<-[:SUPERSEDES]-(:Insight) }
WITH n, vector(n.embedding, $dimension, FLOAT32) AS embedding
WITH n, embedding, 2 * vector.similarity.cosine(embedding, $embedding) - 1 AS similarity
ORDER BY similarity DESC, n.id
LIMIT $limit
RETURN n {.*, embedding: NULL} AS insight, embedding, similarity
