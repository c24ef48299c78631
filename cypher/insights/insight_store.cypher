// insights/insight, one insight that is not in quarantine
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    insight, conflicts, superseded_by
CYPHER 25 MATCH (n:Insight {id: $id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.quarantined = false AND n.retracted_at IS NULL
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

// insights/quarantine, put an insight into quarantine or let it out, where its topic is claimed for that; the change is
//                      recorded where it is one; a second run of the same change does nothing more
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $versions LIST<INTEGER>, $quarantined BOOLEAN, $reason STRING,
//             $change_id STRING, $claim STRING, $now ZONED DATETIME
// columns:    version, accepted
CYPHER 25 MATCH (n:Insight {id: $id})
WHERE n.scope = $scope AND ($claim IS NULL OR EXISTS { (n)-[:ON_TOPIC]->(:Topic {claim: $claim}) })
SET n.locked_at = $now
WITH n, $versions IS NULL OR n.version IN $versions OR EXISTS { (:InsightChange {id: $change_id}) } AS accepted
CALL (n, accepted) {
  WITH n
  WHERE accepted AND n.quarantined <> $quarantined
  CREATE (change:InsightChange {id: $change_id, scope: $scope, recorded_at: $now, version: 1, mark: 'quarantined',
                                insight_id: n.id, before: toString(n.quarantined), after: toString($quarantined)})
  SET change.reason = $reason, n.quarantined = $quarantined, n.version = n.version + 1
  CREATE (change)-[:CHANGED {scope: $scope, recorded_at: $now}]->(n)
}
RETURN n.version AS version, accepted

// insights/hidden, an insight in quarantine with what it is compared by, and those that are marked against it already
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scope STRING
// columns:    insight, embedding, marked
CYPHER 25 MATCH (n:Insight {id: $id})
WHERE n.scope = $scope AND n.quarantined = true AND n.embedding IS NOT NULL
  AND NOT EXISTS { (n)<-[:SUPERSEDES]-(:Insight) }
RETURN n {.*, embedding: NULL} AS insight, vector(n.embedding, size(n.embedding), FLOAT32) AS embedding,
  COLLECT { MATCH (n)-[:CONFLICTS_WITH|SUPERSEDES|DERIVED_FROM]-(o:Insight) RETURN o.id ORDER BY o.id } AS marked

// insights/changes, what was marked on an insight, oldest first
// mode:       read
// returns:    many
// parameters: $id STRING, $scope STRING, $after STRING, $limit INTEGER
// columns:    change
CYPHER 25 MATCH (:Insight {id: $id})<-[:CHANGED]-(change:InsightChange)
WHERE change.scope = $scope AND change.id > $after
RETURN change {.*} AS change
ORDER BY change.id
LIMIT $limit

// insights/create_insight, an insight on the topic that was claimed for it
// mode:       write
// returns:    none
// parameters: $id STRING, $topic_id STRING, $scope STRING, $claim STRING, $recorded_at ZONED DATETIME, $properties MAP,
//             $embedding VECTOR, $model STRING, $supersedes LIST<STRING>, $sources LIST<STRING>
// columns:    none
CYPHER 25 MATCH (t:Topic {id: $topic_id})
WHERE t.scope = $scope AND t.claim = $claim
MERGE (n:Insight {id: $id})
ON CREATE SET n += $properties, n.embedding = toFloatList($embedding), n.embedding_model = $model
MERGE (n)-[on:ON_TOPIC]->(t)
ON CREATE SET on.scope = $scope, on.recorded_at = $recorded_at
WITH n
CALL (n) {
  UNWIND $supersedes AS id
  MATCH (old:Insight {id: id})
  WHERE old.scope = $scope
  MERGE (n)-[r:SUPERSEDES]->(old)
  ON CREATE SET r.scope = $scope, r.recorded_at = $recorded_at
}
CALL (n) {
  UNWIND $sources AS id
  MATCH (source:Insight {id: id})
  WHERE source.scope = $scope
  MERGE (n)-[r:DERIVED_FROM]->(source)
  ON CREATE SET r.scope = $scope, r.recorded_at = $recorded_at, r.weight = 1.0
}

// insights/add_conflicts, an insight does not go together with earlier ones: marked on both sides, and recorded, where
//                         it was not, by whoever lets it out at the same time;
//                         a row is {id, other, signals, similarity, changes: [of the new one, of the other]}
// mode:       write
// returns:    none
// parameters: $insight_id STRING, $scope STRING, $recorded_at ZONED DATETIME, $rows LIST<MAP>
// columns:    none
CYPHER 25 MATCH (n:Insight {id: $insight_id})
WHERE n.scope = $scope AND n.quarantined = false
UNWIND $rows AS row
MATCH (o:Insight {id: row.other})
WHERE o.scope = $scope AND NOT EXISTS { (n)-[:CONFLICTS_WITH]-(o) }
CREATE (n)-[:CONFLICTS_WITH {id: row.id, scope: $scope, recorded_at: $recorded_at, signals: row.signals,
                             similarity: row.similarity, version: 1}]->(o)
SET o.version = o.version + 1
WITH row, n, o
UNWIND [[row.changes[0], n, o], [row.changes[1], o, n]] AS side
WITH side[0] AS change_id, side[1] AS marked, side[2] AS against
CREATE (:InsightChange {id: change_id, scope: $scope, recorded_at: $recorded_at, version: 1, mark: 'conflict',
                        insight_id: marked.id, before: '', after: against.id})
       -[:CHANGED {scope: $scope, recorded_at: $recorded_at}]->(marked)

// insights/candidates, insights on a topic since an instant that are most similar to a vector; superseded ones left out
// mode:       read
// returns:    many
// parameters: $topic_id STRING, $scope STRING, $since ZONED DATETIME, $until ZONED DATETIME, $embedding VECTOR, $dimension INTEGER,
//             $exclude LIST<STRING>, $limit INTEGER
// columns:    insight, embedding, similarity
CYPHER 25 MATCH (:Topic {id: $topic_id})<-[:ON_TOPIC]-(n:Insight)
WHERE n.scope = $scope AND n.quarantined = false AND n.retracted_at IS NULL AND n.created_at >= $since AND n.created_at <= $until
  AND NOT n.id IN $exclude AND size(n.embedding) = $dimension AND NOT EXISTS { (n)<-[:SUPERSEDES]-(:Insight) }
WITH n, vector(n.embedding, $dimension, FLOAT32) AS embedding
WITH n, embedding, 2 * vector.similarity.cosine(embedding, $embedding) - 1 AS similarity
ORDER BY similarity DESC, n.id
LIMIT $limit
RETURN n {.*, embedding: NULL} AS insight, embedding, similarity

// insights/known, which of some insights are there and may be shown
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scope STRING
// columns:    id
CYPHER 25 UNWIND $ids AS id
MATCH (n:Insight {id: id})
WHERE n.scope = $scope AND n.quarantined = false AND n.retracted_at IS NULL
RETURN DISTINCT n.id AS id
ORDER BY id

// insights/owner, whose an insight is, in quarantine or not; nothing of it is shown
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    scope, quarantined, version
CYPHER 25 MATCH (n:Insight {id: $id})
WHERE ($scopes IS NULL OR n.scope IN $scopes) AND n.retracted_at IS NULL
RETURN n.scope AS scope, n.quarantined AS quarantined, n.version AS version
