// ingest/merge_types, relationship types that the registry does not have yet; a row is [id, name, text, inverse, causal]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (type:RelationshipType {id: row[0]})
ON CREATE SET type.scope = $scope, type.name = row[1], type.text = row[2], type.inverse_text = row[3],
              type.is_causal = row[4], type.count = 0, type.recorded_at = $recorded_at, type.version = 1
