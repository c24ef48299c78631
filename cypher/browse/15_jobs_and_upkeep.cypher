// Jobs and upkeep: what ran, what waits, what failed
// Look for: a job that failed, or that has been running without getting on: its message says where it stands.
CYPHER 25
MATCH (job:Job)
RETURN job.kind AS kind, job.state AS state, job.scope AS scope, job.done AS done, job.total AS total,
  job.message AS message, job.recorded_at AS asked
ORDER BY asked DESC, kind
LIMIT 50;
