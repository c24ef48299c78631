// jobs/acquire, take the lease of a job's resource if nobody holds it, by the server's clock; the row tells who has it
// mode:       write
// returns:    maybe
// parameters: $id STRING, $owner STRING, $lease_ms INTEGER
// columns:    acquired, remaining_ms, id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {id: $id})
MERGE (lease:JobLease {id: job.resource})
ON CREATE SET lease.scope = job.scope, lease.recorded_at = datetime.realtime()
SET lease.version = coalesce(lease.version, 0) + 1
WITH job, lease, (lease.owner IS NULL OR lease.owner = $owner OR lease.expires_at <= datetime.realtime())
                 AND job.state IN ['queued', 'running'] AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END |
  SET lease.owner = $owner, lease.job_id = job.id,
      lease.expires_at = datetime.realtime() + duration({milliseconds: $lease_ms}),
      job.owner = $owner, job.state = 'running', job.error = null, job.version = job.version + 1,
      job.started_at = coalesce(job.started_at, datetime.realtime()))
WITH job, lease, free
RETURN free AS acquired, coalesce(duration.between(datetime.realtime(), lease.expires_at).milliseconds, 0) AS remaining_ms,
       job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested
