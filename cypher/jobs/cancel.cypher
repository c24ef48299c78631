// jobs/cancel, end a queued job, or one whose worker is gone; ask the worker of a running one to stop
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {id: $id})
WHERE $scopes IS NULL OR job.scope IN $scopes
MERGE (lease:JobLease {id: job.resource})
ON CREATE SET lease.scope = job.scope, lease.recorded_at = datetime.realtime()
SET lease.version = coalesce(lease.version, 0) + 1
WITH job, job.state IN ['queued', 'running'] AS open,
     coalesce(lease.job_id = job.id AND lease.expires_at > datetime.realtime(), false) AS held
FOREACH (_ IN CASE WHEN open THEN [1] ELSE [] END |
  SET job.cancel_requested = true, job.version = job.version + 1,
      job.state = CASE WHEN held THEN job.state ELSE 'cancelled' END,
      job.finished_at = CASE WHEN held THEN null ELSE datetime.realtime() END)
WITH job
RETURN job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested
