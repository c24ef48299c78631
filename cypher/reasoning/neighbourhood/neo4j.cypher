// reasoning/expand, walkable edges around the nodes of a frontier, grouped by relationship type and direction; a node
//             of more than $wide relationships comes back with hub = true and without groups (reasoning/expand_hub)
// mode:       read
// returns:    many
// parameters: $nodes LIST<STRING>, $scopes LIST<STRING>, $forward LIST<STRING>, $backward LIST<STRING>,
//             $valid ZONED DATETIME, $recorded ZONED DATETIME, $wide INTEGER, $cap INTEGER, $pairs INTEGER,
//             $hidden_sources LIST<STRING>, $hidden_texts LIST<STRING>, $hidden_edges LIST<LIST<STRING>>
// columns:    id, name, kind, degree, text, basin, hub, groups, together
CYPHER 25 UNWIND $nodes AS id
WITH id ORDER BY id  // else whole rows are sorted
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: id})
WHERE n.scope IN $scopes
  AND CASE WHEN n:Insight THEN NOT coalesce(n.quarantined, false) AND COUNT { (n)<-[:SUPERSEDES]-() } = 0 ELSE true END
CALL (n) {
  WHEN COUNT { (n)--() } <= $wide THEN {
    MATCH (n)-[r]-(m)
    WHERE ((startNode(r) = n AND type(r) IN $forward) OR (endNode(r) = n AND type(r) IN $backward))
      AND m.scope IN $scopes
      AND (r.scope IS NULL OR r.scope IN $scopes)
      AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
      AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded)
      AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
      AND (m.recorded_at IS NULL OR m.recorded_at <= $recorded)
      AND (m.retracted_at IS NULL OR m.retracted_at > $recorded)
      AND (m.archived_at IS NULL OR m.archived_at > $recorded)
      AND (m.valid_from IS NULL OR m.valid_from <= $valid)
      AND (m.valid_until IS NULL OR coalesce(  // the end as it was known
        CASE WHEN m.superseded_at > $recorded THEN m.given_until
           WHEN m.superseded_at IS NULL THEN m.valid_until
           ELSE coalesce(m.ends[size([at IN m.ends_at WHERE at <= $recorded]) - 1], m.valid_until) END > $valid, true))
      AND CASE WHEN m:Insight THEN NOT coalesce(m.quarantined, false) AND COUNT { (m)<-[:SUPERSEDES]-() } = 0 ELSE true END
      AND (size($hidden_texts) = 0 OR NOT m.id IN $hidden_texts)
      AND (size($hidden_sources) = 0 OR NOT coalesce(r.source_id, '') IN $hidden_sources OR NOT (n:Entity AND m:Entity))
      AND (size($hidden_edges) = 0 OR NOT [startNode(r).id, type(r), endNode(r).id] IN $hidden_edges)
    WITH DISTINCT n, m, type(r) AS relation, startNode(r) = n AS forward
    ORDER BY m.id
    WITH relation, forward,
      collect([m.id, coalesce(m.name, m.title), head(labels(m)), m.degree, coalesce(m.text, m.content), m.basin_strength])[..$cap] AS ends
    RETURN collect([relation, forward, ends, size(ends)]) AS groups
  }
  ELSE {
    RETURN [] AS groups
  }
}
RETURN id, coalesce(n.name, n.title) AS name, head(labels(n)) AS kind, n.degree AS degree, coalesce(n.text, n.content) AS text,
  n.basin_strength AS basin, COUNT { (n)--() } > $wide AS hub, groups,
  CASE WHEN n.basin_strength IS NULL OR $pairs = 0 THEN [] ELSE COLLECT {
    MATCH (n)-[:HAS_BASIN]->(:AttractorBasin)-[pair:CO_OCCURS_WITH]-(other:AttractorBasin)
    WHERE other.scope IN $scopes
    RETURN [other.entity_id, pair.count] ORDER BY pair.count DESC, other.entity_id LIMIT $pairs
  } END AS together
ORDER BY id
LIMIT 10000

// reasoning/expand_hub, walkable edges around nodes with very many relationships: one bounded read for each relationship
//             type and direction. Only a type that stands in the text is expanded alone (a type from a parameter is a
//             filter behind all of them), so `clause.reasoning.neighbourhood.neo4j` repeats the marked part for each type
// mode:       read
// returns:    many
// parameters: $nodes LIST<STRING>, $scopes LIST<STRING>, $forward LIST<STRING>, $backward LIST<STRING>,
//             $valid ZONED DATETIME, $recorded ZONED DATETIME, $reach INTEGER, $cap INTEGER,
//             $hidden_sources LIST<STRING>, $hidden_texts LIST<STRING>, $hidden_edges LIST<LIST<STRING>>
// columns:    id, groups
CYPHER 25 UNWIND $nodes AS id
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: id})
WHERE n.scope IN $scopes
CALL (n) {
  /* each relation, between: UNION ALL */
  MATCH (n)-[r:`RELATION`]->(m) RETURN r, m, true AS forward LIMIT $reach
  UNION ALL
  MATCH (n)<-[r:`RELATION`]-(m) RETURN r, m, false AS forward LIMIT $reach
  /* end */
}
WITH id, m, type(r) AS relation, forward, type(r) IN CASE WHEN forward THEN $forward ELSE $backward END
    AND m.scope IN $scopes
    AND (r.scope IS NULL OR r.scope IN $scopes)
    AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
    AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded)
    AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
    AND (m.recorded_at IS NULL OR m.recorded_at <= $recorded)
    AND (m.retracted_at IS NULL OR m.retracted_at > $recorded)
    AND (m.archived_at IS NULL OR m.archived_at > $recorded)
    AND (m.valid_from IS NULL OR m.valid_from <= $valid)
    AND (m.valid_until IS NULL OR coalesce(  // the end as it was known
      CASE WHEN m.superseded_at > $recorded THEN m.given_until
         WHEN m.superseded_at IS NULL THEN m.valid_until
         ELSE coalesce(m.ends[size([at IN m.ends_at WHERE at <= $recorded]) - 1], m.valid_until) END > $valid, true))
    AND CASE WHEN m:Insight THEN NOT coalesce(m.quarantined, false) AND COUNT { (m)<-[:SUPERSEDES]-() } = 0 ELSE true END
    AND (size($hidden_texts) = 0 OR NOT m.id IN $hidden_texts)
    AND (size($hidden_sources) = 0 OR NOT coalesce(r.source_id, '') IN $hidden_sources OR NOT (n:Entity AND m:Entity))
    AND (size($hidden_edges) = 0 OR NOT [startNode(r).id, type(r), endNode(r).id] IN $hidden_edges) AS visible
WITH id, relation, forward, count(*) AS read,
  collect(DISTINCT CASE WHEN visible THEN m END) AS ends
CALL (ends) {
  UNWIND ends AS m
  WITH m ORDER BY m.id LIMIT $cap
  RETURN collect([m.id, coalesce(m.name, m.title), head(labels(m)), m.degree, coalesce(m.text, m.content), m.basin_strength]) AS kept
}
WITH id, relation, forward, read, kept ORDER BY relation, forward
RETURN id, collect([relation, forward, kept, read]) AS groups
ORDER BY id
LIMIT 10000

// reasoning/starts, nodes that a relationship type leads from ($forward) or to, among the first $entities of the scopes.
//             The type is a parameter: one plan serves all types, where a text for each is compiled for 100 ms and more
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $relation STRING, $forward BOOLEAN, $valid ZONED DATETIME, $recorded ZONED DATETIME,
//             $entities INTEGER, $limit INTEGER, $hidden_sources LIST<STRING>, $hidden_texts LIST<STRING>,
//             $hidden_edges LIST<LIST<STRING>>
// columns:    id, name, kind, degree, text, basin
CYPHER 25 MATCH (n:Entity) WHERE n.scope IN $scopes AND n.canonical_key IS NOT NULL
WITH n LIMIT $entities
MATCH (n)-[r]-(m)
WHERE type(r) = $relation AND (($forward AND startNode(r) = n) OR (NOT $forward AND endNode(r) = n))
  AND (n.recorded_at IS NULL OR n.recorded_at <= $recorded)
  AND (n.retracted_at IS NULL OR n.retracted_at > $recorded)
  AND (n.archived_at IS NULL OR n.archived_at > $recorded)
  AND m.scope IN $scopes
  AND (r.scope IS NULL OR r.scope IN $scopes)
  AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
  AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded)
  AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
  AND (m.recorded_at IS NULL OR m.recorded_at <= $recorded)
  AND (m.retracted_at IS NULL OR m.retracted_at > $recorded)
  AND (m.archived_at IS NULL OR m.archived_at > $recorded)
  AND (size($hidden_texts) = 0 OR NOT m.id IN $hidden_texts)
  AND (size($hidden_sources) = 0 OR NOT coalesce(r.source_id, '') IN $hidden_sources OR NOT (n:Entity AND m:Entity))
  AND (size($hidden_edges) = 0 OR NOT [startNode(r).id, type(r), endNode(r).id] IN $hidden_edges)
WITH DISTINCT n LIMIT $limit
RETURN n.id AS id, coalesce(n.name, n.title) AS name, head(labels(n)) AS kind, n.degree AS degree,
  coalesce(n.text, n.content) AS text, n.basin_strength AS basin
ORDER BY id

// reasoning/embeddings, vectors of nodes that an expansion within the caller's scopes has returned
// mode:       read
// returns:    many
// parameters: $nodes LIST<STRING>, $dimension INTEGER
// columns:    id, embedding
CYPHER 25 UNWIND $nodes AS id
MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: id})
WHERE n.embedding IS NOT NULL AND size(n.embedding) = $dimension
RETURN id, vector(n.embedding, $dimension, FLOAT32) AS embedding
LIMIT 100000

// reasoning/paths[{{hops}}], all shortest walkable paths from any source to any target, none of them through another target;
//                            a length is no parameter in Cypher, and the bound in the text keeps the search shallow
// mode:       read
// returns:    many
// parameters: $sources LIST<STRING>, $targets LIST<STRING>, $scopes LIST<STRING>, $types LIST<STRING>,
//             $valid ZONED DATETIME, $recorded ZONED DATETIME, $limit INTEGER,
//             $hidden_sources LIST<STRING>, $hidden_texts LIST<STRING>, $hidden_edges LIST<LIST<STRING>>
// columns:    nodes, edges
// kinds:      hops: 1, 2, 3, 4, 5, 6
CYPHER 25 MATCH (a:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight) WHERE a.id IN $sources AND a.scope IN $scopes
  AND CASE WHEN a:Insight THEN NOT coalesce(a.quarantined, false) AND COUNT { (a)<-[:SUPERSEDES]-() } = 0 ELSE true END
MATCH (b:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight) WHERE b.id IN $targets AND b.scope IN $scopes AND b <> a
MATCH p = ALL SHORTEST (a) (
  (x)-[r WHERE type(r) IN $types
      AND (r.scope IS NULL OR r.scope IN $scopes)
      AND (r.valid_from IS NULL OR r.valid_from <= $valid) AND (r.valid_until IS NULL OR r.valid_until > $valid)
      AND (r.recorded_at IS NULL OR r.recorded_at <= $recorded)
      AND (r.retracted_at IS NULL OR r.retracted_at > $recorded)
      AND (size($hidden_sources) = 0 OR NOT coalesce(r.source_id, '') IN $hidden_sources OR NOT (x:Entity AND y:Entity))
      AND (size($hidden_edges) = 0 OR NOT [startNode(r).id, type(r), endNode(r).id] IN $hidden_edges)
    ]-(y WHERE y.scope IN $scopes AND NOT y.id IN $hidden_texts
      AND CASE WHEN y:Insight THEN NOT coalesce(y.quarantined, false) AND COUNT { (y)<-[:SUPERSEDES]-() } = 0 ELSE true END)
){1,{{hops}}} (b)
WHERE none(n IN nodes(p)[1..-1] WHERE n.id IN $targets)
WITH [n IN nodes(p) | n.id] AS nodes,
  [r IN relationships(p) | [startNode(r).id, type(r), endNode(r).id]] AS edges
ORDER BY size(edges), nodes, edges
RETURN DISTINCT nodes, edges
LIMIT $limit

// reasoning/relationship_types, the registered relationship types of some scopes with their texts and vectors
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $dimension INTEGER
// columns:    name, text, inverse_text, embedding, inverse_embedding, count, is_causal,
//             forward_gain_count, forward_gain_sum, inverse_gain_count, inverse_gain_sum
CYPHER 25 MATCH (t:RelationshipType)
WHERE t.scope IN $scopes
RETURN t.name AS name, t.text AS text, t.inverse_text AS inverse_text,
  vector(t.embedding, $dimension, FLOAT32) AS embedding,
  vector(t.inverse_embedding, $dimension, FLOAT32) AS inverse_embedding,
  coalesce(t.count, 0) AS count, coalesce(t.is_causal, false) AS is_causal,
  coalesce(t.forward_gain_count, 0) AS forward_gain_count, coalesce(t.forward_gain_sum, 0.0) AS forward_gain_sum,
  coalesce(t.inverse_gain_count, 0) AS inverse_gain_count, coalesce(t.inverse_gain_sum, 0.0) AS inverse_gain_sum
ORDER BY name, t.scope
LIMIT 10000
