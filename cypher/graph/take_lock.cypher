// graph/take_lock, take or renew the migration lock; a lease that ran out is anybody's, by the server's clock
// mode:       write
// returns:    one
// parameters: $owner STRING, $lease_s INTEGER
// columns:    owner, remaining_s
CYPHER 25 MERGE (l:MigrationLock {id: 'migrations'})
ON CREATE SET l.scope = 'public', l.recorded_at = datetime.realtime()
SET l.version = coalesce(l.version, 0) + 1
WITH l, l.owner IS NULL OR l.owner = $owner OR l.expires_at <= datetime.realtime() AS free
SET l.owner = CASE WHEN free THEN $owner ELSE l.owner END,
    l.expires_at = CASE WHEN free THEN datetime.realtime() + duration({seconds: $lease_s}) ELSE l.expires_at END
RETURN l.owner AS owner, duration.inSeconds(datetime.realtime(), l.expires_at).seconds AS remaining_s
