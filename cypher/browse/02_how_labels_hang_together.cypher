// How labels hang together: the schema as a picture
// Look for: Entity in the middle; beliefs, memories, values and passages all reach it, so one walk crosses them all.
CYPHER 25
CALL db.schema.visualization() YIELD nodes, relationships
RETURN nodes, relationships
LIMIT 1;
