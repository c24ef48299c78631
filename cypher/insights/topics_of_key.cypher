// insights/topics_of_key, the topics of one key, at most one in each scope
// mode:       read
// returns:    many
// parameters: $key STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    id, salience, salience_at
CYPHER 25 MATCH (t:Topic)
WHERE t.key = $key AND t.scope IN $scopes
RETURN t.id AS id, t.salience AS salience, t.salience_at AS salience_at
ORDER BY id
LIMIT $limit
