// operations/find_key, an API key that is not revoked, with its hash
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scope STRING
// columns:    id, secret_hash, reads_all, readable, writes_all, writable
CYPHER 25 MATCH (k:ApiKey {id: $id, scope: $scope})
WHERE k.revoked_at IS NULL
RETURN k.id AS id, k.secret_hash AS secret_hash, k.reads_all AS reads_all, k.readable AS readable,
       k.writes_all AS writes_all, k.writable AS writable
