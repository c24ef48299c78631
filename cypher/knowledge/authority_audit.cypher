// knowledge/authority_audit, everything derived that claims more trust than the lowest of its lineage, although no
//                            second independent source says the same; empty when authority is sound
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $tolerance FLOAT, $limit INTEGER
// columns:    id, label, trust, lowest, on
CYPHER 25 MATCH (x)-[:DERIVED_FROM]->(y)
WHERE x.scope IN $scopes AND y.scope IN $scopes AND x.overall > y.overall + $tolerance
  AND coalesce(x.sources, 0) < 2 AND x.retracted_at IS NULL AND x.archived_at IS NULL
WITH x, y ORDER BY y.overall, y.id
WITH x, collect(y)[0] AS lowest
RETURN x.id AS id, labels(x)[0] AS label, x.overall AS trust, lowest.overall AS lowest, lowest.id AS on
ORDER BY trust - lowest DESC, id
LIMIT $limit
