// knowledge/link_supersession, tie the holder of a text to the belief that was closed for it; the holder's id
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $newcomer STRING, $live_hash STRING, $at ZONED DATETIME
// columns:    id
CYPHER 25 MATCH (old:Belief {id: $id})
WHERE old.scope = $scope AND old.closed_for = $newcomer
MATCH (new:Belief {scope: $scope, live_hash: $live_hash})
SET new.stated_at = $at, old.superseded_by_id = new.id
WITH old, new
CALL (old, new) {
  WITH old, new
  WHERE NOT EXISTS { (new)-[:SUPERSEDES]->(old) }
  CREATE (new)-[:SUPERSEDES {scope: $scope, recorded_at: $at}]->(old)
}
RETURN new.id AS id
