// jobs/unfinished, the newest job of a kind with the same parameters that did not succeed
// mode:       read
// returns:    maybe
// parameters: $scope STRING, $kind STRING, $resource STRING, $parameters STRING
// columns:    id, kind, scope, resource, state, parameters, done, total, message, cursor, error, owner, sequence, version,
//             created_at, started_at, finished_at, cancel_requested
CYPHER 25 MATCH (job:Job {kind: $kind, resource: $resource})
WHERE job.scope = $scope AND job.parameters = $parameters AND job.state <> 'succeeded'
RETURN job.id AS id, job.kind AS kind, job.scope AS scope, job.resource AS resource, job.state AS state,
       job.parameters AS parameters, job.done AS done, job.total AS total, job.message AS message,
       job.cursor AS cursor, job.error AS error, job.owner AS owner, job.sequence AS sequence, job.version AS version,
       job.recorded_at AS created_at, job.started_at AS started_at, job.finished_at AS finished_at,
       job.cancel_requested AS cancel_requested
ORDER BY id DESC
LIMIT 1
