// operations/limits, the server's settings that bound what one statement may hold and how long it may run
// mode:       read
// returns:    many
// parameters: none
// columns:    name, value
CYPHER 25 SHOW SETTINGS 'db.memory.transaction.max', 'dbms.memory.transaction.total.max', 'db.transaction.timeout'
YIELD name, value
RETURN name, value
