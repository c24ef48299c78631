// graph/constraints, every constraint of the database as it really is
// mode:       read
// returns:    many
// parameters: none
// columns:    name, type, labels, properties
CYPHER 25 SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties
RETURN name, type, labelsOrTypes AS labels, properties
ORDER BY name
