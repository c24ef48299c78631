// graph/components, the server's edition and the Cypher versions that it speaks
// mode:       read
// returns:    many
// parameters: none
// columns:    name, versions, edition
CYPHER 25 CALL dbms.components() YIELD name, versions, edition
RETURN name, versions, edition
ORDER BY name
