// knowledge/merge_sides, winner and loser of a merge, as they are
// mode:       read
// returns:    many
// parameters: $label STRING, $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    id, scope, gone
CYPHER 25 UNWIND $ids AS id
MATCH (n:$($label) {id: id})
WHERE n.scope IN $scopes
RETURN n.id AS id, n.scope AS scope,
  n.merged_into IS NOT NULL OR n.retracted_at IS NOT NULL OR n.archived_at IS NOT NULL
    OR coalesce(n.status, 'active') IN ['superseded', 'archived', 'retracted'] AS gone
ORDER BY id
