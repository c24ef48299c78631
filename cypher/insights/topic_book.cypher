// insights/topic, the topic of a key in one scope, as writers see it
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scope STRING
// columns:    id, key, scope, salience, salience_at, version
CYPHER 25 MATCH (t:Topic {id: $id})
WHERE t.scope = $scope
RETURN t.id AS id, t.key AS key, t.scope AS scope, t.salience AS salience, t.salience_at AS salience_at,
  t.version AS version

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

// insights/topics, topics in the order of their keys, behind a given id; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $key STRING, $kind STRING, $after STRING, $limit INTEGER
// columns:    id, key, scope, kind, server, salience, salience_at, version, insights
CYPHER 25 MATCH (t:Topic)
WHERE t.scope IN $scopes AND ($key IS NULL OR t.key = $key) AND ($kind IS NULL OR t.kind = $kind) AND t.id > $after
WITH t ORDER BY t.id LIMIT $limit
RETURN t.id AS id, t.key AS key, t.scope AS scope, t.kind AS kind, t.server AS server, t.salience AS salience,
  t.salience_at AS salience_at, t.version AS version,
  COUNT { (t)<-[:ON_TOPIC]-(n:Insight) WHERE n.quarantined = false AND n.retracted_at IS NULL } AS insights
ORDER BY id
