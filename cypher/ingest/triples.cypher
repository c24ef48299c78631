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

// ingest/merge_source, the loaded file as a source; loading the same content again finds it
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $title STRING, $uri STRING, $content_hash STRING, $root STRING,
//             $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (source:Source {id: $id})
ON CREATE SET source.scope = $scope, source.kind = 'document', source.title = $title, source.uri = $uri,
              source.content_hash = $content_hash, source.recorded_at = $recorded_at, source.version = 1
SET source.root = coalesce(source.root, $root)

// ingest/merge_types, relationship types that the registry does not have yet; a row is
//                     [id, name, text, inverse text, kind of cause or null, its end is the cause]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (type:RelationshipType {id: row[0]})
ON CREATE SET type.scope = $scope, type.name = row[1], type.text = row[2], type.inverse_text = row[3],
              type.is_causal = row[4] IS NOT NULL, type.causal_kind = row[4], type.causal_backward = row[5], type.count = 0, type.recorded_at = $recorded_at, type.version = 1

// ingest/known_triples, the numbers of the rows that are in the graph already, for the same time; what was retracted is
//                       there only for the source that said it; a row is [number, head, type, tail, from, until].
//                       Planned on an empty graph, a type that is only compared would be looked for in all relationships
// mode:       read
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $source_id STRING
// columns:    known
CYPHER 25 UNWIND $rows AS row
MATCH (head:Entity {id: row[1]})
MATCH (tail:Entity {id: row[3]})
WHERE EXISTS {
  (head)-[r:$(row[2])]->(tail)
  WHERE r.scope = $scope AND (r.retracted_at IS NULL OR r.source_id = $source_id)
    AND coalesce(r.valid_from, datetime({year: 1})) = coalesce(row[4], datetime({year: 1}))
    AND coalesce(r.valid_until, datetime({year: 1})) = coalesce(row[5], datetime({year: 1}))
}
RETURN collect(row[0]) AS known

// ingest/create_triples, relationships that are known to be missing, with counts kept; runs once in a turn
//                        a row is [head, type, tail, valid_from, valid_until, what else is kept on it]
// mode:       write
// returns:    many
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $source_id STRING, $recorded_at ZONED DATETIME,
//             $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    name, created
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
MATCH (head:Entity {id: row[0]})
MATCH (tail:Entity {id: row[2]})
CREATE (head)-[r:$(row[1]) {scope: $scope, weight: 1.0, valid_from: row[3], valid_until: row[4],
                           recorded_at: $recorded_at, source_id: $source_id}]->(tail)
SET r += coalesce(row[5], {})
WITH row[1] AS name, count(*) AS created
MATCH (type:RelationshipType {scope: $scope, name: name})
SET type.count = type.count + created
RETURN name, created
ORDER BY name

// ingest/raise_degrees, what the relationships of a batch add to the degrees of their ends, each end once; runs once in
//                       a turn; a row is [entity, relationships]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    none
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
MATCH (entity:Entity {id: row[0]})
WHERE entity.scope = $scope
SET entity.degree = entity.degree + row[1]

// ingest/name_entities, further names of entities; the first takes the place of a name that is but a code, which is an
//                       alias then; a row is [entity, names, the code or null, key of the first name]; runs once in a turn
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $most INTEGER, $job_id STRING, $owner STRING, $sequence INTEGER
// columns:    none
CYPHER 25 MATCH (job:Job {id: $job_id})
WHERE job.scope = $scope AND job.owner = $owner AND job.sequence = $sequence
UNWIND $rows AS row
MATCH (entity:Entity {id: row[0]})
WHERE entity.scope = $scope
WITH entity, row, coalesce(entity.name = row[2], false) AS coded
WITH entity, row, coded, CASE WHEN coded THEN row[1][0] ELSE entity.name END AS name
WITH entity, row, coded, name, [other IN CASE WHEN coded THEN [row[2]] ELSE [] END + row[1]
  WHERE other <> name AND NOT other IN coalesce(entity.aliases, [])] AS fresh
WHERE coded OR size(fresh) > 0
SET entity.aliases = (coalesce(entity.aliases, []) + fresh)[..$most], entity.version = coalesce(entity.version, 0) + 1,
    entity.name = name
FOREACH (_ IN CASE WHEN coded THEN [1] ELSE [] END |
  SET entity.name_key = row[3], entity.embedding = null, entity.embedding_model = null)
