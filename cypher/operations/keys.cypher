// operations/keys_of_before, API keys that an older version kept in the graph: taken over once into the file of the home
// mode:       read
// returns:    many
// parameters: $scope STRING, $limit INTEGER
// columns:    id, name, secret_hash, reads_all, readable, writes_all, writable, created_at, revoked_at
CYPHER 25 MATCH (k:ApiKey {scope: $scope})
WITH k
ORDER BY k.id
LIMIT $limit
RETURN k.id AS id, k.name AS name, k.secret_hash AS secret_hash, k.reads_all AS reads_all, k.readable AS readable,
       k.writes_all AS writes_all, k.writable AS writable, k.recorded_at AS created_at, k.revoked_at AS revoked_at

// operations/remove_keys, the API keys that an older version kept in the graph go: the file of the home has them now
// mode:       write
// returns:    one
// parameters: $scope STRING
// columns:    removed
CYPHER 25 MATCH (k:ApiKey {scope: $scope})
DETACH DELETE k
RETURN count(*) AS removed
