// graph/record_version, add a link to the chain of applied migrations
// mode:       write
// returns:    none
// parameters: $id STRING, $name STRING, $checksum STRING, $chain STRING, $sequence INTEGER, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (v:SchemaVersion {id: $id})
ON CREATE SET v.scope = 'public', v.recorded_at = $recorded_at, v.name = $name, v.checksum = $checksum,
              v.chain = $chain, v.sequence = $sequence
WITH v
OPTIONAL MATCH (before:SchemaVersion {sequence: $sequence - 1})
FOREACH (b IN CASE WHEN before IS NULL THEN [] ELSE [before] END | MERGE (b)-[:NEXT_VERSION]->(v))
