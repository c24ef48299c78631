// knowledge/erasable_parts, what goes with some nodes ([label, id]) because it belongs to nothing that stays: statements
//                           and their provenance, evidence, tensions, merged twins, receipts, turns and steps; and what
//                           was noted of them while reasoning, in whatever scope: ThoughtSeeds, patterns, triggers
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    label, id
CYPHER 25 CALL () {
  MATCH (x:Receipt)
  WHERE x.scope IN $scopes AND (x.target IN $ids OR x.winner IN $ids OR x.loser IN $ids)
  RETURN x
  UNION
  UNWIND $nodes AS node
  MATCH (n:$(node[0]) {id: node[1]})
  WHERE n.scope IN $scopes
  CALL (n) {
    MATCH (n)-[:HAS_PROVENANCE]->(x:Provenance)
    WHERE NOT EXISTS { MATCH (o)-[:HAS_PROVENANCE]->(x) WHERE NOT o.id IN $ids AND NOT o:Evidence }
    RETURN x
    UNION
    MATCH (n)-[:SUPPORTED_BY]->(x:Evidence)
    WHERE NOT EXISTS { MATCH (o)-[:SUPPORTED_BY]->(x) WHERE NOT o.id IN $ids }
    RETURN x
    UNION
    MATCH (x:Evidence)-[:HAS_PROVENANCE]->(n:Provenance)
    RETURN x
    UNION
    MATCH (x:Evidence)
    WHERE x.unit = n.id
    RETURN x
    UNION
    MATCH (x:Tension)-[:BETWEEN]->(n)
    RETURN x
    UNION
    MATCH (x:Belief)-[:MERGED_INTO]->(n)
    RETURN x
    UNION
    MATCH (x:Provenance)-[:FROM]->(n:Source)
    RETURN x
    UNION
    MATCH (x:Exchange)-[:IN_SESSION]->(n:Session)
    RETURN x
    UNION
    MATCH (n)-[:HAS_PASSAGE]->(x:Passage)
    RETURN x
    UNION
    MATCH (n:Run)-[:HAS_STEP]->(x:RunStep)
    RETURN x
    UNION
    MATCH (x:ThoughtSeed)
    WHERE x.concept_id = n.id
    RETURN x
    UNION
    MATCH (x:EmergentPattern)-[:GENERATED_BY]->(n:ThoughtSeed)
    RETURN x
    UNION
    MATCH (x:CuriosityTrigger)-[:INVESTIGATES]->(n)
    RETURN x
    UNION
    MATCH (x:Evidence)-[:DERIVED_FROM]->(n:CuriosityTrigger)
    RETURN x
    UNION
    MATCH (n:Entity)-[:HAS_BASIN]->(x:AttractorBasin)
    RETURN x
    UNION
    MATCH (x:Kept)
    WHERE x.node_id = n.id
    RETURN x
  }
  RETURN x
}
WITH DISTINCT x
WHERE NOT x.id IN $ids
RETURN labels(x)[0] AS label, x.id AS id
ORDER BY label, id
LIMIT 100000
