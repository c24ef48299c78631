// jobs/guard, first statement of a worker's transaction: lock and renew its lease; no row when it is another's by now
// mode:       write
// returns:    maybe
// parameters: $scope STRING, $resource STRING, $owner STRING, $lease_ms INTEGER
// columns:    owner
CYPHER 25 MATCH (lease:JobLease {id: $resource})
WHERE lease.scope = $scope
SET lease.version = lease.version + 1
WITH lease
WHERE lease.owner = $owner
SET lease.expires_at = datetime.realtime() + duration({milliseconds: $lease_ms})
RETURN lease.owner AS owner
