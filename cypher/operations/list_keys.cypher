// operations/list_keys, API keys newest first, without their hashes
// mode:       read
// returns:    many
// parameters: $scope STRING, $limit INTEGER
// columns:    id, name, reads_all, readable, writes_all, writable, created_at, revoked_at
CYPHER 25 MATCH (k:ApiKey {scope: $scope})
RETURN k.id AS id, k.name AS name, k.reads_all AS reads_all, k.readable AS readable, k.writes_all AS writes_all,
       k.writable AS writable, k.recorded_at AS created_at, k.revoked_at AS revoked_at
ORDER BY created_at DESC, id DESC
LIMIT $limit
