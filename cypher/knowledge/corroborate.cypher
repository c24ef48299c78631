// knowledge/corroborate, one more statement of a belief that is held, with its text as evidence; safe to run twice
//                        (knowledge/settle follows in the same transaction). The first SET reads nothing of its node:
//                        one that does (n.x = n.x + 1) takes the server's locks in another order, and writers deadlock
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $evidence MAP, $embedding VECTOR, $source MAP, $provenance MAP, $recorded_at ZONED DATETIME
// columns:    id
CYPHER 25 MERGE (source:Source {id: $source.id})
ON CREATE SET source += $source
SET source.stated_at = $recorded_at
WITH source
MATCH (b:Belief {id: $id})
WHERE b.scope = $scope AND b.status IN ['active', 'disputed']
SET b.stated_at = $recorded_at
SET b.confirmed_at = CASE WHEN b.confirmed_at < $recorded_at THEN $recorded_at ELSE b.confirmed_at END
WITH b, source
CALL (b, source) {
  WITH b, source
  WHERE NOT EXISTS { (:Provenance {id: $provenance.id}) }
  CREATE (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(source)
  SET p += $provenance
  CREATE (b)-[:SUPPORTED_BY]->(e:Evidence)-[:HAS_PROVENANCE]->(p)
  SET e += $evidence, e.embedding = toFloatList($embedding)
}
RETURN b.id AS id
