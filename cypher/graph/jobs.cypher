// jobs/unfinished, the newest job of a kind with the same parameters that did not succeed, if none on the same resource
//                  has succeeded since: that may have replaced what it had done
// mode:       read
// returns:    maybe
// parameters: $scope STRING, $kind STRING, $resource STRING, $parameters STRING
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {kind: $kind, resource: $resource})
WHERE job.scope = $scope AND job.parameters = $parameters AND job.state <> 'succeeded'
  AND NOT EXISTS {
    MATCH (later:Job {kind: $kind, resource: $resource})
    WHERE later.scope = $scope AND later.id > job.id AND later.state = 'succeeded'
  }
RETURN job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested
ORDER BY id DESC
LIMIT 1

// jobs/submit, queue a job; a second submission of the same id changes nothing
// mode:       write
// returns:    one
// parameters: $id STRING, $kind STRING, $scope STRING, $resource STRING, $parameters STRING, $recorded_at ZONED DATETIME
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MERGE (job:Job {id: $id})
ON CREATE SET job.kind = $kind, job.scope = $scope, job.resource = $resource, job.parameters = $parameters,
              job.state = 'queued', job.done = 0, job.total = 0, job.message = '', job.cursor = '{}', job.sequence = 0,
              job.version = 1, job.cancel_requested = false, job.recorded_at = $recorded_at
RETURN job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested

// jobs/get, one job; null scopes are those of an owner, who sees all, and a user's scope covers that user's sessions
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {id: $id})
WHERE $scopes IS NULL OR job.scope IN $scopes OR split(job.scope, '/session:')[0] IN $scopes
RETURN job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested

// jobs/list, jobs newest first, older than a given id; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $kind STRING, $state STRING, $before STRING, $limit INTEGER
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job)
WHERE ($scopes IS NULL OR job.scope IN $scopes OR split(job.scope, '/session:')[0] IN $scopes)
  AND ($kind IS NULL OR job.kind = $kind) AND ($state IS NULL OR job.state = $state)
  AND ($before IS NULL OR job.id < $before)
RETURN job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested
ORDER BY id DESC
LIMIT $limit

// jobs/cancel, end a queued job, or one whose worker is gone; ask the worker of a running one to stop
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {id: $id})
WHERE $scopes IS NULL OR job.scope IN $scopes OR split(job.scope, '/session:')[0] IN $scopes
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

// jobs/resume, queue a failed or cancelled job again, to go on from its cursor
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {id: $id})
WHERE $scopes IS NULL OR job.scope IN $scopes OR split(job.scope, '/session:')[0] IN $scopes
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

// jobs/waiting, jobs of some kinds that anyone may take: queued, or running under a lease that ran out; oldest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $kinds LIST<STRING>, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (job:Job)
WHERE job.state IN ['queued', 'running'] AND job.id > '' AND job.kind IN $kinds
  AND ($scopes IS NULL OR job.scope IN $scopes OR split(job.scope, '/session:')[0] IN $scopes)
OPTIONAL MATCH (lease:JobLease {id: job.resource})
WITH job, lease
WHERE lease IS NULL OR lease.owner IS NULL OR lease.expires_at <= datetime.realtime()
RETURN job.id AS id
ORDER BY id
LIMIT $limit

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
