// graph/indexes, every index of the database as it really is
// mode:       read
// returns:    many
// parameters: none
// columns:    name, type, labels, properties, options, state, constraint
CYPHER 25 SHOW INDEXES YIELD name, type, labelsOrTypes, properties, options, state, owningConstraint
RETURN name, type, labelsOrTypes AS labels, properties, options, state, owningConstraint AS constraint
ORDER BY name
