// jobs/queue_due, queue a periodic job of one kind for each [scope, id] in which none waits, runs, or began since an
//                 instant; the periodic ones before that succeeded are removed. The same id is queued once
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<STRING>>, $kind STRING, $since ZONED DATETIME, $recorded_at ZONED DATETIME
// columns:    queued
CYPHER 25 UNWIND $rows AS row
WITH row[0] AS scope, row[1] AS id, $kind + ':' + row[0] AS resource
WHERE NOT EXISTS {
  MATCH (other:Job {kind: $kind, resource: resource})
  WHERE other.scope = scope AND (other.state IN ['queued', 'running'] OR other.recorded_at > $since)
}
CALL (scope, resource, id) {
  MATCH (old:Job {kind: $kind, resource: resource})
  WHERE old.scope = scope AND old.periodic AND old.state = 'succeeded' AND old.id <> id
  DETACH DELETE old
  RETURN count(*) AS removed
}
MERGE (job:Job {id: id})
ON CREATE SET job.kind = $kind, job.scope = scope, job.resource = resource, job.parameters = '{}', job.state = 'queued',
              job.done = 0, job.total = 0, job.message = '', job.cursor = '{}', job.sequence = 0, job.version = 1,
              job.cancel_requested = false, job.recorded_at = $recorded_at, job.periodic = true
RETURN count(CASE WHEN job.recorded_at = $recorded_at AND job.version = 1 THEN 1 END) AS queued
