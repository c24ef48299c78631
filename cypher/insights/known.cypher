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
