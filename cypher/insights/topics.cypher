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
