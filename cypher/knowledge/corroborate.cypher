// knowledge/corroborate, one more statement of a belief that is held, with its text as evidence; safe to run twice
//                        (knowledge/settle follows in the same transaction)
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $evidence MAP, $source MAP, $provenance MAP, $recorded_at ZONED DATETIME
// columns:    id
CYPHER 25 MATCH (b:Belief {id: $id})
WHERE b.scope = $scope AND b.status IN ['active', 'disputed']
SET b.confirmed_at = CASE WHEN b.confirmed_at < $recorded_at THEN $recorded_at ELSE b.confirmed_at END
MERGE (source:Source {id: $source.id})
ON CREATE SET source += $source
MERGE (p:Provenance {id: $provenance.id})
ON CREATE SET p += $provenance
MERGE (b)-[:HAS_PROVENANCE]->(p)
MERGE (p)-[:FROM]->(source)
MERGE (e:Evidence {id: $evidence.id})
ON CREATE SET e += $evidence
MERGE (b)-[:SUPPORTED_BY]->(e)
MERGE (e)-[:HAS_PROVENANCE]->(p)
RETURN b.id AS id
