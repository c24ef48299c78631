// graph/labels, every label that some node has had
// mode:       read
// returns:    many
// parameters: none
// columns:    label
CYPHER 25 CALL db.labels() YIELD label
RETURN label
ORDER BY label
