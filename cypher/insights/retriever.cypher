// insights/topics_of_reference, what servers call a user or dyad: topics with this reference, compared as a whole
// mode:       read
// returns:    many
// parameters: $reference STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    id, salience, salience_at
CYPHER 25 MATCH (t:Topic {reference: $reference})
WHERE t.scope IN $scopes AND t.server IS NOT NULL
RETURN t.id AS id, t.salience AS salience, t.salience_at AS salience_at
ORDER BY id
LIMIT $limit

// insights/by_category, insights of a category, newest first
// mode:       read
// returns:    many
// parameters: $category STRING, $scopes LIST<STRING>, $since ZONED DATETIME, $before STRING, $limit INTEGER
// columns:    insight, conflicts, superseded_by
CYPHER 25 MATCH (n:Insight {category: $category})
WHERE n.scope IN $scopes AND n.quarantined = false AND n.retracted_at IS NULL
  AND ($since IS NULL OR n.created_at >= $since) AND n.id < coalesce($before, '\uFFFF')
WITH n ORDER BY n.id DESC LIMIT $limit // as the cursor goes: of two written at once the times may stand the other way
RETURN n {.*, embedding: NULL} AS insight,
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

// insights/held_back, the ids of insights on some topics that have a conflict that is not settled, oldest first
// mode:       read
// returns:    many
// parameters: $topics LIST<STRING>, $scopes LIST<STRING>, $since ZONED DATETIME, $limit INTEGER
// columns:    id
CYPHER 25 UNWIND $topics AS topic
MATCH (:Topic {id: topic})<-[:ON_TOPIC]-(n:Insight)
WHERE n.scope IN $scopes AND n.quarantined = false AND n.retracted_at IS NULL
  AND ($since IS NULL OR n.created_at >= $since)
  AND EXISTS {
    MATCH (n)-[c:CONFLICTS_WITH]-(o:Insight)
    WHERE c.resolved_at IS NULL AND o.quarantined = false AND o.retracted_at IS NULL
      AND NOT EXISTS { (o)<-[:SUPERSEDES]-(later:Insight) WHERE later.quarantined = false }
  }
RETURN n.id AS id
ORDER BY id
LIMIT $limit

// insights/recent, the newest insights on some topics
//                 a topic is [id, salience now]; those in quarantine are never there
// mode:       read
// returns:    many
// parameters: $topics LIST<LIST<ANY>>, $scopes LIST<STRING>, $since ZONED DATETIME, $conflicting BOOLEAN,
//             $exclude LIST<STRING>, $limit INTEGER
// columns:    insight, salience, conflicts, superseded_by
CYPHER 25 UNWIND $topics AS topic
MATCH (:Topic {id: topic[0]})<-[:ON_TOPIC]-(n:Insight)
WHERE n.scope IN $scopes AND n.quarantined = false AND n.retracted_at IS NULL AND NOT n.id IN $exclude
  AND ($since IS NULL OR n.created_at >= $since)
  AND ($conflicting OR NOT EXISTS {
    MATCH (n)-[c:CONFLICTS_WITH]-(o:Insight)
    WHERE c.resolved_at IS NULL AND o.quarantined = false AND o.retracted_at IS NULL
      AND NOT EXISTS { (o)<-[:SUPERSEDES]-(later:Insight) WHERE later.quarantined = false }
  })
WITH n, topic
ORDER BY n.created_at DESC, n.id DESC
LIMIT $limit
RETURN n {.*, embedding: NULL} AS insight, topic[1] AS salience,
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

// insights/strongest, the insights on some topics that are strongest now: strength * min(1, salience / salience then)
//                 a topic is [id, salience now]; those in quarantine are never there
// mode:       read
// returns:    many
// parameters: $topics LIST<LIST<ANY>>, $scopes LIST<STRING>, $since ZONED DATETIME, $conflicting BOOLEAN,
//             $exclude LIST<STRING>, $limit INTEGER
// columns:    insight, salience, conflicts, superseded_by
CYPHER 25 UNWIND $topics AS topic
MATCH (:Topic {id: topic[0]})<-[:ON_TOPIC]-(n:Insight)
WHERE n.scope IN $scopes AND n.quarantined = false AND n.retracted_at IS NULL AND NOT n.id IN $exclude
  AND ($since IS NULL OR n.created_at >= $since)
  AND ($conflicting OR NOT EXISTS {
    MATCH (n)-[c:CONFLICTS_WITH]-(o:Insight)
    WHERE c.resolved_at IS NULL AND o.quarantined = false AND o.retracted_at IS NULL
      AND NOT EXISTS { (o)<-[:SUPERSEDES]-(later:Insight) WHERE later.quarantined = false }
  })
WITH n, topic
ORDER BY n.strength * CASE
    WHEN n.original_topic_salience <= 0 OR topic[1] >= n.original_topic_salience THEN 1.0
    ELSE topic[1] / n.original_topic_salience
  END DESC, n.created_at DESC, n.id DESC
LIMIT $limit
RETURN n {.*, embedding: NULL} AS insight, topic[1] AS salience,
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

// insights/topics_of_key, the topics of one key, at most one in each scope
// mode:       read
// returns:    many
// parameters: $key STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    id, salience, salience_at
CYPHER 25 MATCH (t:Topic)
WHERE t.key = $key AND t.scope IN $scopes
RETURN t.id AS id, t.salience AS salience, t.salience_at AS salience_at
ORDER BY id
LIMIT $limit

// insights/search, insights near a query by meaning and by words (of the first 10,000 those that may be shown): two
//                  rankings for one fusion
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
  CALL db.index.fulltext.queryNodes('insight_text', $words, {limit: 10000}) YIELD node AS n, score
  WHERE n.scope IN $scopes AND n.quarantined = false AND n.retracted_at IS NULL AND n.category >= $category_from
    AND n.category <= $category_to
  RETURN 'sparse' AS ranking, n, score
  ORDER BY score DESC, n.id LIMIT $limit
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
