// intelligence/claim_concepts, note who makes concepts that nobody made before
// mode:       write
// returns:    none
// parameters: $ids LIST<STRING>, $token STRING, $scope STRING
// columns:    none
CYPHER 25 UNWIND $ids AS id
MATCH (n:Entity {id: id})
WHERE n.scope = $scope AND n.made_by IS NULL
SET n.made_by = $token
