// operations/create_key, keep a new API key: its name, its hash and its scopes
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $name STRING, $secret_hash STRING, $reads_all BOOLEAN, $readable LIST<STRING>,
//             $writes_all BOOLEAN, $writable LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (k:ApiKey {id: $id, scope: $scope})
ON CREATE SET k.name = $name, k.secret_hash = $secret_hash, k.reads_all = $reads_all, k.readable = $readable,
              k.writes_all = $writes_all, k.writable = $writable, k.recorded_at = $now
