// ingest/source_counts, how much a property graph holds: relationships and, of its nodes, labels and properties; its labels
// mode:       read
// returns:    one
// parameters: $labels LIST<STRING>, $names LIST<STRING>
// columns:    things, known
CYPHER 25 OPTIONAL MATCH (n)
WHERE size($names) = 0 OR size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels)
WITH sum(size(keys(n)) + size(labels(n)) + COUNT { (n)-->() }
  - CASE WHEN any(one IN $names WHERE n[one] IS NOT NULL) THEN 1 ELSE 0 END) AS things
RETURN coalesce(things, 0) AS things, COLLECT { MATCH (m) UNWIND labels(m) AS label RETURN DISTINCT label ORDER BY label } AS known

// ingest/source_nodes, the nodes of a property graph: labels, name, the property that names it, and all properties
// mode:       read
// returns:    many
// parameters: $labels LIST<STRING>, $names LIST<STRING>
// columns:    id, labels, name, named_by, properties
CYPHER 25 MATCH (n)
WHERE size($labels) = 0 OR any(label IN labels(n) WHERE label IN $labels)
WITH n, head([one IN $names WHERE n[one] IS NOT NULL]) AS named_by
RETURN elementId(n) AS id, labels(n) AS labels, n[named_by] AS name, named_by, properties(n) AS properties

// ingest/source_relationships, the relationships of a property graph with their properties and the names of their ends
// mode:       read
// returns:    many
// parameters: $labels LIST<STRING>, $names LIST<STRING>
// columns:    head, head_labels, head_name, type, properties, tail, tail_labels, tail_name
CYPHER 25 MATCH (a)
WHERE size($labels) = 0 OR any(label IN labels(a) WHERE label IN $labels)
CALL (a) {
  MATCH (a)-[r]->(b)
  WHERE size($labels) = 0 OR any(label IN labels(b) WHERE label IN $labels)
  RETURN r, b
  // Of relationships between the same two, the one that says most is the one that is kept.
  ORDER BY type(r), elementId(b), size(keys(r)) DESC, properties(r)
}
RETURN elementId(a) AS head, labels(a) AS head_labels, a[head([one IN $names WHERE a[one] IS NOT NULL])] AS head_name,
  type(r) AS type, properties(r) AS properties,
  elementId(b) AS tail, labels(b) AS tail_labels, b[head([one IN $names WHERE b[one] IS NOT NULL])] AS tail_name
