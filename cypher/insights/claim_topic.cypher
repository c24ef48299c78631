// insights/claim_topic, write to a topic that is still of the version that was read (0: not there yet); no row: it has
//                       moved on. Meanwhile nobody else writes there, so that two insights at one instant see each other
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $version INTEGER, $claim STRING, $fresh MAP, $salience FLOAT,
//             $now ZONED DATETIME
// columns:    version
CYPHER 25 MERGE (t:Topic {id: $id})
ON CREATE SET t += $fresh
SET t.locked_at = $now
WITH t
WHERE t.scope = $scope AND (t.version = $version OR t.claim = $claim)
SET t.version = $version + 1, t.claim = $claim, t.salience = $salience, t.salience_at = $now
RETURN t.version AS version
