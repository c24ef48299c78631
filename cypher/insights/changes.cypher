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
