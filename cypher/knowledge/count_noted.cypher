// knowledge/count_noted, how much other scopes noted, while reasoning, of some scopes' nodes alone: what `erase_noted` takes
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    label, erased, vectors
CYPHER 25 MATCH (x:ThoughtSeed|CuriosityTrigger)
WHERE NOT x.scope IN $scopes AND any(scope IN x.scopes WHERE scope IN $scopes)
  AND NOT EXISTS {
    MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster {id: x.concept_id})
    WHERE NOT n.scope IN $scopes
  }
OPTIONAL MATCH (pattern:EmergentPattern)-[:GENERATED_BY]->(x)
OPTIONAL MATCH (finding:Evidence)-[:DERIVED_FROM]->(x)
UNWIND [x, pattern, finding] AS node
WITH DISTINCT node WHERE node IS NOT NULL
RETURN labels(node)[0] AS label, count(*) AS erased,
  sum(size([key IN keys(node) WHERE key ENDS WITH 'embedding'])) AS vectors
ORDER BY label
