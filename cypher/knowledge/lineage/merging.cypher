// knowledge/merge_of_loser, the receipt under which something went into something else
// mode:       read
// returns:    maybe
// parameters: $loser STRING, $kind STRING, $scopes LIST<STRING>
// columns:    id
CYPHER 25 MATCH (r:Receipt)
WHERE r.scope IN $scopes AND r.kind = $kind AND r.loser = $loser AND r.undone_at IS NULL
RETURN r.id AS id
ORDER BY id DESC
LIMIT 1

// knowledge/hand_back, remove the copies of relationships that a merge made; what was added since stays
// mode:       write
// returns:    one
// parameters: $label STRING, $winner STRING, $receipt_id STRING, $scopes LIST<STRING>
// columns:    removed
CYPHER 25 MATCH (w:$($label) {id: $winner})
WHERE w.scope IN $scopes
CALL (w) {
  MATCH (w)-[c]-(m)
  WHERE c.merge_id = $receipt_id
  WITH w, c, m, type(c) AS kind, CASE WHEN type(c) IN ['SAME_AS', 'MERGED_INTO'] THEN 0 ELSE 1 END AS counted
  SET m.degree = m.degree - counted, w.degree = w.degree - CASE WHEN m.degree IS NULL THEN 0 ELSE counted END
  DELETE c
  RETURN count(*) AS removed, collect(kind) AS kinds
}
CALL (w, kinds) {
  UNWIND kinds AS kind
  WITH w, kind, count(*) AS copies
  MATCH (t:RelationshipType {scope: w.scope, name: kind})
  SET t.count = t.count - copies
}
RETURN removed

// knowledge/drop_names, the names that a merge gave an entity are its own no longer
// mode:       write
// returns:    none
// parameters: $winner STRING, $names LIST<STRING>, $scopes LIST<STRING>
// columns:    none
CYPHER 25 MATCH (w:Entity {id: $winner})
WHERE w.scope IN $scopes
SET w.aliases = [name IN coalesce(w.aliases, []) WHERE NOT name IN $names]

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

// knowledge/ground_left, what a belief that was put away stands on: how many it was derived from and how many sources say
//                        it, and how many of each still stand (as `knowledge/dependents` counts)
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    parents, parents_left, sources, sources_left, independent
CYPHER 25 MATCH (b:Belief {id: $id})
WHERE b.scope IN $scopes
RETURN COUNT { MATCH (b)-[:DERIVED_FROM]->(z) RETURN DISTINCT z } AS parents,
  COUNT { MATCH (b)-[:DERIVED_FROM]->(z) WHERE z.retracted_at IS NULL AND z.merged_into IS NULL RETURN DISTINCT z } AS parents_left,
  COUNT { MATCH (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
          WHERE NOT coalesce(p.recalled, false) RETURN DISTINCT s } AS sources,
  COUNT { MATCH (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
          WHERE p.retracted_at IS NULL AND s.retracted_at IS NULL AND NOT coalesce(p.recalled, false)
          RETURN DISTINCT s } AS sources_left,
  coalesce(b.sources, 0) AS independent

// knowledge/absorb_belief, a belief goes into another: it is kept, put away, and points to the winner; what rests on the
//                          winner now is deeper than it, for `settle`
// mode:       write
// returns:    none
// parameters: $winner STRING, $loser STRING, $receipt_id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (w:Belief {id: $winner})
WHERE w.scope IN $scopes
MATCH (l:Belief {id: $loser})
WHERE l.scope IN $scopes
SET l.status = 'archived', l.archived_at = $now, l.merged_into = w.id, l.live_hash = null, l.version = l.version + 1
SET w.confirmed_at = CASE WHEN w.confirmed_at < l.confirmed_at THEN l.confirmed_at ELSE w.confirmed_at END
MERGE (l)-[into:MERGED_INTO]->(w)
ON CREATE SET into.scope = l.scope, into.recorded_at = $now, into.merge_id = $receipt_id
WITH w
MATCH (w)<-[:DERIVED_FROM]-(child:Belief)
WHERE child.scope IN $scopes
WITH w, coalesce(w.depth, 0) + 1 - min(coalesce(child.depth, 0)) AS steps
WHERE steps > 0
MATCH (w)<-[:DERIVED_FROM*1..]-(x:Belief)
WHERE x.scope IN $scopes
WITH DISTINCT x, steps
SET x.depth = coalesce(x.depth, 0) + steps

// knowledge/absorb_entity, an entity is the same as another: it is kept, put away, and its names become the winner's
// mode:       write
// returns:    none
// parameters: $winner STRING, $loser STRING, $receipt_id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    none
CYPHER 25 MATCH (w:Entity {id: $winner})
WHERE w.scope IN $scopes
MATCH (l:Entity {id: $loser})
WHERE l.scope IN $scopes
SET l.archived_at = $now, l.merged_into = w.id, l.version = coalesce(l.version, 0) + 1
WITH w, l, reduce(names = [], name IN [l.name] + coalesce(l.aliases, []) |
  CASE WHEN name = w.name OR name IN coalesce(w.aliases, []) OR name IN names THEN names ELSE names + name END) AS fresh
SET w.aliases = coalesce(w.aliases, []) + fresh, w.version = coalesce(w.version, 0) + 1
MERGE (l)-[same:SAME_AS]->(w)
ON CREATE SET same.scope = l.scope, same.recorded_at = $now, same.merge_id = $receipt_id
WITH fresh
MATCH (receipt:Receipt {id: $receipt_id})
SET receipt.names = fresh

// knowledge/take_over, a winner gets copies of the loser's relationships, marked with the receipt; the loser keeps its
//                      own. Types in $own_affair are not copied, nor is what the winner has with the same end for the
//                      same time. What these scopes derived from the loser rests on the winner, if the winner does not
//                      rest on it; on what the loser was derived from the winner does not rest
// mode:       write
// returns:    one
// parameters: $label STRING, $winner STRING, $loser STRING, $receipt_id STRING, $own_affair LIST<STRING>,
//             $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    copied
CYPHER 25 MATCH (w:$($label) {id: $winner})
WHERE w.scope IN $scopes
MATCH (l:$($label) {id: $loser})
WHERE l.scope IN $scopes
CALL (w, l) {
  MATCH (l)-[r]->(m)
  WHERE m <> w AND m <> l AND NOT type(r) IN $own_affair + 'DERIVED_FROM' AND r.retracted_at IS NULL
    AND NOT EXISTS {
      MATCH (w)-[same]->(m)
      WHERE type(same) = type(r) AND same.retracted_at IS NULL
        AND coalesce(same.valid_from, $now) = coalesce(r.valid_from, $now)
        AND coalesce(same.valid_until, $now) = coalesce(r.valid_until, $now)
    }
  WITH w, r, m, type(r) AS kind, properties(r) AS about
  CREATE (w)-[c:$(kind)]->(m)
  SET c += about, c.merge_id = $receipt_id, c.recorded_at = $now
  SET m.degree = m.degree + 1, w.degree = w.degree + CASE WHEN m.degree IS NULL THEN 0 ELSE 1 END
  RETURN count(c) AS outgoing, collect(kind) AS out_kinds
}
CALL (w, l) {
  MATCH (m)-[r]->(l)
  WHERE m <> w AND m <> l AND NOT type(r) IN $own_affair AND r.retracted_at IS NULL
    AND NOT (type(r) = 'DERIVED_FROM' AND (NOT m.scope IN $scopes OR EXISTS { (w)-[:DERIVED_FROM]->+(m) }))
    AND NOT EXISTS {
      MATCH (m)-[same]->(w)
      WHERE type(same) = type(r) AND same.retracted_at IS NULL
        AND coalesce(same.valid_from, $now) = coalesce(r.valid_from, $now)
        AND coalesce(same.valid_until, $now) = coalesce(r.valid_until, $now)
    }
  WITH w, r, m, type(r) AS kind, properties(r) AS about
  CREATE (m)-[c:$(kind)]->(w)
  SET c += about, c.merge_id = $receipt_id, c.recorded_at = $now
  SET m.degree = m.degree + 1, w.degree = w.degree + CASE WHEN m.degree IS NULL THEN 0 ELSE 1 END
  RETURN count(c) AS incoming, collect(kind) AS in_kinds
}
CALL (w, out_kinds, in_kinds) {
  UNWIND out_kinds + in_kinds AS kind
  WITH w, kind, count(*) AS copies
  MATCH (t:RelationshipType {scope: w.scope, name: kind})
  SET t.count = t.count + copies
}
CALL (outgoing, incoming) {
  MATCH (receipt:Receipt {id: $receipt_id})
  SET receipt.relationships = outgoing + incoming
}
RETURN outgoing + incoming AS copied
