// insights/topic, the topic of a key in one scope, as writers see it
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scope STRING
// columns:    id, key, scope, salience, salience_at, version
CYPHER 25 MATCH (t:Topic {id: $id})
WHERE t.scope = $scope
RETURN t.id AS id, t.key AS key, t.scope AS scope, t.salience AS salience, t.salience_at AS salience_at,
  t.version AS version
