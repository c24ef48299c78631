// intelligence/hold_trigger, first statement of what an investigation writes: lock its trigger; no row when it is
//                            another worker's by now
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $owner STRING
// columns:    id
CYPHER 25 MATCH (t:CuriosityTrigger {id: $id})
WHERE t.scope = $scope
SET t.version = t.version + 1
WITH t
WHERE t.owner = $owner AND t.investigation_status = 'investigating'
RETURN t.id AS id
