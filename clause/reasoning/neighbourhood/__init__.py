"""The narrow port through which the agents read the graph, on Neo4j and on a snapshot."""
