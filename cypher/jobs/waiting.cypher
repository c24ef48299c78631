// jobs/waiting, jobs of some kinds that anyone may take: queued, or running under a lease that ran out; oldest first
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $kinds LIST<STRING>, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (job:Job)
WHERE job.state IN ['queued', 'running'] AND job.kind IN $kinds AND ($scopes IS NULL OR job.scope IN $scopes)
OPTIONAL MATCH (lease:JobLease {id: job.resource})
WITH job, lease
WHERE lease IS NULL OR lease.owner IS NULL OR lease.expires_at <= datetime.realtime()
RETURN job.id AS id
ORDER BY id
LIMIT $limit
