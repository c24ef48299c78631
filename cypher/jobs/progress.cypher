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
