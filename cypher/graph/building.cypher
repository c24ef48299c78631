// graph/building, the names of indexes that are not online yet
// mode:       read
// returns:    many
// parameters: none
// columns:    name, state, percent
CYPHER 25 SHOW INDEXES YIELD name, state, populationPercent
WHERE state <> 'ONLINE'
RETURN name, state, populationPercent AS percent
ORDER BY name
