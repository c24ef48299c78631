// insights/search, insights near a query by meaning and by words: two rankings for one fusion
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $category_from STRING, $category_to STRING,
//             $limit INTEGER
// columns:    ranking, insight, topic, conflicts, superseded_by
CYPHER 25 CALL () {
  MATCH (n:Insight)
  SEARCH n IN (VECTOR INDEX insight_embedding FOR $embedding
    WHERE n.scope IN $scopes AND n.quarantined = false AND n.category >= $category_from AND n.category <= $category_to
    LIMIT $limit) SCORE AS score
  RETURN 'dense' AS ranking, n, score
  UNION ALL
  CALL db.index.fulltext.queryNodes('insight_text', $words, {limit: $limit}) YIELD node AS n, score
  WHERE n.scope IN $scopes AND n.quarantined = false AND n.category >= $category_from AND n.category <= $category_to
  RETURN 'sparse' AS ranking, n, score
}
WITH ranking, n, score
WHERE n.retracted_at IS NULL AND n.quarantined = false
RETURN ranking, n {.*, embedding: NULL} AS insight,
  head(COLLECT { MATCH (n)-[:ON_TOPIC]->(t:Topic) RETURN t {.salience, .salience_at} }) AS topic,
  COLLECT {
    MATCH (n)-[c:CONFLICTS_WITH]-(o:Insight)
    WHERE o.quarantined = false
    RETURN [o.id, c.resolved_at IS NOT NULL] ORDER BY o.id
  } AS conflicts,
  COLLECT {
    MATCH (n)<-[:SUPERSEDES]-(o:Insight)
    WHERE o.quarantined = false
    RETURN o.id ORDER BY o.id
  } AS superseded_by
ORDER BY ranking, score DESC, n.id
