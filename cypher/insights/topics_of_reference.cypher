// insights/topics_of_reference, what servers call a user or dyad: topics with this reference, compared as a whole
// mode:       read
// returns:    many
// parameters: $reference STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    id, salience, salience_at
CYPHER 25 MATCH (t:Topic {reference: $reference})
WHERE t.scope IN $scopes AND t.server IS NOT NULL
RETURN t.id AS id, t.salience AS salience, t.salience_at AS salience_at
ORDER BY id
LIMIT $limit
