// knowledge/runs_of_scope, recorded runs, of whatever scope, that read a scope
// mode:       read
// returns:    many
// parameters: $scope STRING, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (run:Run)
WHERE run.scope <> $scope AND $scope IN run.scopes
RETURN run.id AS id
ORDER BY id
LIMIT $limit
