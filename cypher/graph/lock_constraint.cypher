// graph/lock_constraint, the key of the migration lock: needed before the first migration can take it
// mode:       schema
// returns:    none
// parameters: none
// columns:    none
CYPHER 25 CREATE CONSTRAINT migration_lock_id IF NOT EXISTS FOR (n:MigrationLock) REQUIRE n.id IS UNIQUE
