// graph/free_lock, give the migration lock back; nothing happens when it is another's by now
// mode:       write
// returns:    none
// parameters: $owner STRING
// columns:    none
CYPHER 25 MATCH (l:MigrationLock {id: 'migrations', owner: $owner})
SET l.owner = null, l.expires_at = null
