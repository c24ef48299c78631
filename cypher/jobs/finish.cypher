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
