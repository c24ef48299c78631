// values/change_experience, set properties of an experience that is open and still of the version that was read;
//                           no row: it has moved on. The change's id makes a second run of the same change do the same
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $version INTEGER, $change_id STRING, $changes MAP, $now ZONED DATETIME
// columns:    version
CYPHER 25 MATCH (n:Experience {id: $id})
WHERE n.scope = $scope
SET n.locked_at = $now
WITH n
WHERE (n.open_key IS NOT NULL AND n.version = $version) OR n.change_id = $change_id
SET n += $changes, n.change_id = $change_id, n.version = $version + 1
RETURN n.version AS version
