// jobs/resume, queue a failed or cancelled job again, to go on from its cursor
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {id: $id})
WHERE $scopes IS NULL OR job.scope IN $scopes
SET job.version = job.version + 1
WITH job, job.state IN ['failed', 'cancelled'] AS ended
FOREACH (_ IN CASE WHEN ended THEN [1] ELSE [] END |
  SET job.state = 'queued', job.error = null, job.finished_at = null, job.cancel_requested = false)
WITH job
RETURN job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested
