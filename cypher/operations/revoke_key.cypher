// operations/revoke_key, end an API key for good; a second time changes nothing
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $now ZONED DATETIME
// columns:    id, name, reads_all, readable, writes_all, writable, created_at, revoked_at
CYPHER 25 MATCH (k:ApiKey {id: $id, scope: $scope})
SET k.revoked_at = coalesce(k.revoked_at, $now)
RETURN k.id AS id, k.name AS name, k.reads_all AS reads_all, k.readable AS readable, k.writes_all AS writes_all,
       k.writable AS writable, k.recorded_at AS created_at, k.revoked_at AS revoked_at
