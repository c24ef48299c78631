// values/start_experience, a new experience; a second open one for the same open_key breaks a constraint
// mode:       write
// returns:    none
// parameters: $id STRING, $properties MAP
// columns:    none
CYPHER 25 MERGE (n:Experience {id: $id})
ON CREATE SET n += $properties
