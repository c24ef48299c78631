// jobs/guard, first statement of a worker's transaction: lock and renew its lease; no row when it is another's by now
// mode:       write
// returns:    maybe
// parameters: $scope STRING, $resource STRING, $owner STRING, $lease_ms INTEGER
// columns:    owner, cancel_requested
CYPHER 25 MATCH (lease:JobLease {id: $resource})
WHERE lease.scope = $scope
SET lease.version = lease.version + 1
WITH lease
WHERE lease.owner = $owner
SET lease.expires_at = datetime.realtime() + duration({milliseconds: $lease_ms})
OPTIONAL MATCH (job:Job {id: lease.job_id})
WHERE job.cancel_requested
RETURN lease.owner AS owner, job.id AS cancel_requested

// jobs/progress, last statement of a worker's transaction: how far it is, and from where to go on; once a sequence number
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $owner STRING, $sequence INTEGER, $done INTEGER, $total INTEGER,
//             $message STRING, $cursor STRING
// columns:    cancel_requested
CYPHER 25 MATCH (job:Job {id: $id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence IN [$sequence, $sequence + 1]
SET job.sequence = $sequence + 1, job.done = $done, job.total = $total, job.message = $message, job.cursor = $cursor,
    job.version = job.version + 1
RETURN job.cancel_requested AS cancel_requested

// jobs/finish, end a worker's turn: the job's new state, and its lease given back; no row when it is another's by now
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $resource STRING, $owner STRING, $state STRING, $error STRING
// columns:    id
CYPHER 25 MATCH (lease:JobLease {id: $resource})
SET lease.version = lease.version + 1
WITH lease
MATCH (job:Job {id: $id})
WHERE job.scope = $scope AND job.owner = $owner AND lease.owner = $owner AND job.state = 'running'
SET lease.owner = null, lease.expires_at = null, lease.job_id = null,
    job.owner = null, job.state = $state, job.error = $error, job.version = job.version + 1,
    job.finished_at = CASE WHEN $state = 'queued' THEN null ELSE datetime.realtime() END
RETURN job.id AS id
