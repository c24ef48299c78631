// values/axis_vectors, vectors of the resolved experiences of a scope on one axis, in the order of their ids
// mode:       read
// returns:    many
// parameters: $scope STRING, $domain STRING, $property STRING, $dimension INTEGER, $after STRING, $limit INTEGER
// columns:    id, embedding, tier
CYPHER 25 MATCH (n:Experience)
WHERE n.scope = $scope AND n.id > $after AND n.open_key IS NULL AND n.retracted_at IS NULL
  AND n[$property] IS NOT NULL AND size(n[$property]) = $dimension AND ($domain IS NULL OR n.domain = $domain)
WITH n ORDER BY n.scope, n.id LIMIT $limit
RETURN n.id AS id, vector(n[$property], $dimension, FLOAT32) AS embedding, n.confidence_tier AS tier
ORDER BY id
