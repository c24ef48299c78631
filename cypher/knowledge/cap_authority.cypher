// knowledge/cap_authority, what was derived from some beliefs is trusted at most as its lineage, unless a second source
//                          says it too. Lineage goes through uncorroborated beliefs, up to eight steps
// mode:       write
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    id, overall
CYPHER 25 UNWIND $ids AS id
MATCH (root:Belief {id: id})
WHERE root.scope IN $scopes
MATCH (x:Belief) ((:Belief)-[:DERIVED_FROM]->(:Belief)){1,8} (root)
WHERE x.scope IN $scopes AND coalesce(x.sources, 0) < 2 AND x.retracted_at IS NULL AND x.merged_into IS NULL
WITH DISTINCT x
MATCH path = (x) ((a:Belief)-[:DERIVED_FROM]->(b WHERE b.overall IS NOT NULL)){1,8} (y)
WHERE all(between IN a[1..] WHERE coalesce(between.sources, 0) < 2)
WITH x, min(y.overall) AS lowest
WHERE x.overall > lowest
SET x.overall = lowest, x.ceiling = lowest, x.version = x.version + 1, x.settled_at = $now
RETURN x.id AS id, x.overall AS overall
ORDER BY id
