// knowledge/erase_noted, remove what other scopes noted, while reasoning, of some scopes' nodes alone: ThoughtSeeds,
//                        triggers and their findings, and the patterns of such seeds
// mode:       write
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
WITH node, labels(node)[0] AS label, size([key IN keys(node) WHERE key ENDS WITH 'embedding']) AS vectors
DETACH DELETE node
RETURN label, count(*) AS erased, sum(vectors) AS vectors
ORDER BY label
