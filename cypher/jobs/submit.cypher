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
