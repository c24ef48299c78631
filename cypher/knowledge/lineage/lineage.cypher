// knowledge/dependents, what rests directly on some nodes ([label, id]): derived from or supported by one, said by a
//                       source, or answered from one; with what else each rests on. A belief's sources are those that
//                       still stand: [id, recalled]; of what is gone already all count, for it fell with them
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>, $limit INTEGER
// columns:    on, label, id, name, kind, scope, by, parents, sources, independent, gone
CYPHER 25 UNWIND $nodes AS node
MATCH (y:$(node[0]) {id: node[1]})
WHERE y.scope IN $scopes
CALL (y) {
  MATCH (x)-[r:DERIVED_FROM|SUPPORTED_BY]->(y)
  WHERE x.scope IN $scopes
  RETURN x, type(r) AS by
  UNION
  MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(y:Source)
  WHERE x.scope IN $scopes AND (p.retracted_at IS NULL OR x.retracted_at IS NOT NULL)
  RETURN x, 'HAS_PROVENANCE' AS by
  UNION
  MATCH (x:Document|Session)-[:FROM]->(y:Source)
  WHERE x.scope IN $scopes
  RETURN x, 'FROM' AS by
  UNION
  MATCH (y)-[:HAS_PASSAGE]->(x:Passage)
  WHERE x.scope IN $scopes
  RETURN x, 'HAS_PASSAGE' AS by
  UNION
  MATCH (x:Evidence)
  WHERE x.unit = y.id AND x.scope IN $scopes
  RETURN x, 'UNIT' AS by
  UNION
  MATCH (x:ThoughtSeed)
  WHERE x.concept_id = y.id AND x.scope IN $scopes
  RETURN x, 'CONCEPT' AS by
  UNION
  MATCH (x:EmergentPattern)-[:GENERATED_BY]->(y:ThoughtSeed)
  WHERE x.scope IN $scopes
  RETURN x, 'GENERATED_BY' AS by
  UNION
  MATCH (x:Run)-[:SELECTED]->(y:Evidence)
  WHERE x.scope IN $scopes
  RETURN x, 'SELECTED' AS by
  UNION
  MATCH (x:Run)-[:HAS_STEP]->(:RunStep)-[:VISITED]->(y)
  WHERE x.scope IN $scopes
  RETURN x, 'VISITED' AS by
}
WITH DISTINCT y.id AS on, x, by, x.retracted_at IS NOT NULL OR x.merged_into IS NOT NULL AS gone
ORDER BY x.id, by
LIMIT $limit
RETURN on, labels(x)[0] AS label, x.id AS id, left(coalesce(x.name, x.title, x.content, x.text, x.query, x.concept, ''), 80) AS name,
  coalesce(x.extraction_method, x.kind, '') AS kind, x.scope AS scope, by,
  COLLECT { MATCH (x)-[:DERIVED_FROM|GENERATED_BY]->(z) WHERE gone OR z.retracted_at IS NULL AND z.merged_into IS NULL
            RETURN [labels(z)[0], z.id] ORDER BY z.id } AS parents,
  COLLECT { MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
            WHERE (gone OR p.retracted_at IS NULL AND s.retracted_at IS NULL) AND NOT coalesce(p.recalled, false)
            RETURN DISTINCT s.id ORDER BY s.id } AS sources,
  coalesce(x.sources, 0) AS independent, gone

// knowledge/descendants, beliefs that were derived from some beliefs, through others too: what `settle` settles with them
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    id
CYPHER 25 UNWIND $ids AS id
MATCH (root:Belief {id: id})
WHERE root.scope IN $scopes
MATCH (root)<-[:DERIVED_FROM*1..]-(x:Belief)
WHERE x.scope IN $scopes
RETURN DISTINCT x.id AS id
ORDER BY id
LIMIT 20000

// knowledge/authority_audit, what claims more trust than it may, counted anew from statements and lineage: more than the
//                            lowest of its lineage although nobody says it who is not upstream (`lineage`), more than its
//                            signal and source give although one alone vouches for it (`signal`), or more sources than
//                            there are sites and authors (`sources`); empty when authority is sound
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $tolerance FLOAT, $starts MAP, $inferred FLOAT, $owner STRING, $limit INTEGER
// columns:    id, label, reason, trust, lowest, on
CYPHER 25 CALL () {
  MATCH (x)-[:DERIVED_FROM]->(y)
  WHERE x.scope IN $scopes AND y.scope IN $scopes AND x.overall > y.overall + $tolerance
    AND x.retracted_at IS NULL AND x.archived_at IS NULL
  WITH x, y ORDER BY y.overall, y.id
  WITH x, collect(y)[0] AS weakest
  CALL (x) {
    OPTIONAL MATCH (x)-[:DERIVED_FROM*1..]->(older:Belief)
    WITH DISTINCT older
    OPTIONAL MATCH (older)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
    WHERE p.retracted_at IS NULL AND s.retracted_at IS NULL AND NOT coalesce(p.recalled, false)
    WITH p, coalesce(p.author, $owner) AS author
    UNWIND CASE WHEN p IS NULL THEN [] ELSE ['a:' + author] + [one IN coalesce(p.sites, []) | 'h:' + one] END AS voice
    RETURN collect(DISTINCT voice) AS upstream
  }
  WITH x, weakest, upstream
  WHERE NOT EXISTS {
    MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
    WHERE p.retracted_at IS NULL AND s.retracted_at IS NULL AND NOT coalesce(p.recalled, false)
      AND NOT coalesce(p.derived, false) AND NOT 'a:' + coalesce(p.author, $owner) IN upstream
      AND none(one IN coalesce(p.sites, []) WHERE 'h:' + one IN upstream)
      AND NOT EXISTS {
        MATCH (x)-[:HAS_PROVENANCE]->(before:Provenance)
        WHERE before.derived AND before.author = p.author AND before.recorded_at < p.recorded_at
      }
  }
  RETURN x, 'lineage' AS reason, weakest.overall AS lowest, weakest.id AS on
  UNION
  MATCH (x:Belief)
  WHERE x.scope IN $scopes AND x.retracted_at IS NULL AND x.archived_at IS NULL
  WITH x, CASE WHEN x.source_kind = 'inference' AND $starts[x.signal] > $inferred THEN $inferred
               ELSE $starts[x.signal] END AS start
  WHERE x.overall > start + $tolerance OR x.sources > 1
  CALL (x) {
    OPTIONAL MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
    WHERE p.retracted_at IS NULL AND s.retracted_at IS NULL AND NOT coalesce(p.recalled, false)
    RETURN count(DISTINCT CASE WHEN size(coalesce(p.sites, [])) > 0 THEN 'h:' + p.sites[0]
                               WHEN p IS NOT NULL THEN 'a:' + coalesce(p.author, $owner) END) AS vouching,
      max(CASE WHEN p.derived THEN 1 ELSE 0 END) AS derived
  }
  WITH x, start, vouching, derived
  WHERE (x.overall > start + $tolerance AND vouching < 2) OR x.sources > vouching + coalesce(derived, 0)
  RETURN x, CASE WHEN x.sources > vouching + coalesce(derived, 0) THEN 'sources' ELSE 'signal' END AS reason,
    start AS lowest, x.id AS on
}
RETURN x.id AS id, labels(x)[0] AS label, reason, x.overall AS trust, lowest, on
ORDER BY trust - lowest DESC, id, reason
LIMIT $limit

// knowledge/count_derived, how many nodes were derived from others
// mode:       read
// returns:    one
// parameters: $scopes LIST<STRING>
// columns:    derived
CYPHER 25 MATCH (x)-[:DERIVED_FROM]->()
WHERE x.scope IN $scopes
RETURN count(DISTINCT x) AS derived

// knowledge/keep_before, lock some nodes ([label, id], in the order of ids) and keep what undoing has to restore; the
//                        receipt is made with it. Run again it keeps what was kept first
// mode:       write
// returns:    one
// parameters: $receipt MAP, $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>, $recorded_at ZONED DATETIME
// columns:    kept
CYPHER 25 MERGE (receipt:Receipt {id: $receipt.id})
ON CREATE SET receipt += $receipt
WITH receipt
CALL (receipt) {
  UNWIND $nodes AS node
  MATCH (n:$(node[0]) {id: node[1]})
  WHERE n.scope IN $scopes
  SET n.lock = 1
  REMOVE n.lock
  WITH receipt, n, node
  MERGE (k:Kept {id: receipt.id + '/' + node[0] + '/' + node[1]})
  ON CREATE SET k += n {.status, .stage, .version, .retracted_at, .archived_at, .merged_into, .live_hash, .overall, .ceiling,
      .sources, .statements, .open_tensions, .settled_at, .confirmed_at, .history, .c_internal_consistency,
      .c_temporal_freshness, .c_corroboration, .retractions, .aliases, .degree,
      .upstream, .voices, .depth},
    k.scope = n.scope, k.node_id = n.id, k.label = node[0], k.receipt_id = receipt.id, k.recorded_at = $recorded_at
  RETURN count(k) AS kept
}
RETURN kept

// knowledge/require_standing, refuse the transaction where one of some nodes ([label, id]), locked before, has one of some
//                             marks or is of one of some statuses: another writer was first. A receipt of this id is there
//                             already, so that making it breaks the constraint
// mode:       write
// returns:    none
// parameters: $nodes LIST<LIST<STRING>>, $marks LIST<STRING>, $statuses LIST<STRING>, $receipt_id STRING,
//             $scopes LIST<STRING>
// columns:    none
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes AND (any(mark IN $marks WHERE n[mark] IS NOT NULL) OR n.status IN $statuses)
CREATE (:Receipt {id: $receipt_id, scope: n.scope})

// knowledge/seal_receipt, note the versions that the nodes of a receipt have now, and how they stand: undoing restores a
//                         node whole only while it is at this version, and a mark only while it is this one
// mode:       write
// returns:    none
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    none
CYPHER 25 MATCH (k:Kept)
WHERE k.receipt_id = $id AND k.scope IN $scopes
MATCH (n:$(k.label) {id: k.node_id})
SET k.version_after = n.version, k.sealed = true, k.status_after = n.status, k.retracted_at_after = n.retracted_at,
    k.archived_at_after = n.archived_at, k.merged_into_after = n.merged_into, k.live_hash_after = n.live_hash

// knowledge/receipt, one receipt
// mode:       read
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    receipt
CYPHER 25 MATCH (r:Receipt {id: $id})
WHERE r.scope IN $scopes
RETURN properties(r) AS receipt

// knowledge/receipts, receipts of some kinds, newest first
// mode:       read
// returns:    many
// parameters: $kinds LIST<STRING>, $scopes LIST<STRING>, $after STRING, $limit INTEGER
// columns:    receipt
CYPHER 25 MATCH (r:Receipt)
WHERE r.scope IN $scopes AND r.kind IN $kinds AND r.id < coalesce($after, '\uFFFF')
RETURN properties(r) AS receipt
ORDER BY r.id DESC
LIMIT $limit

// knowledge/hold_receipt, lock a receipt before anything is taken back under it; refuse the transaction where another was first
//                         and has undone it. A receipt of this id is there already, so that making it breaks the constraint
// mode:       write
// returns:    none
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    none
CYPHER 25 MATCH (receipt:Receipt {id: $id})
WHERE receipt.scope IN $scopes
SET receipt.lock = 1
REMOVE receipt.lock
WITH receipt
WHERE receipt.undone_at IS NOT NULL
CREATE (:Receipt {id: $id, scope: receipt.scope})

// knowledge/changed_since, which nodes of a receipt have changed since it was sealed
// mode:       read
// returns:    many
// parameters: $id STRING, $scopes LIST<STRING>
// columns:    label, id
CYPHER 25 MATCH (k:Kept)
WHERE k.receipt_id = $id AND k.scope IN $scopes
MATCH (n:$(k.label) {id: k.node_id})
WHERE coalesce(n.version, 0) <> coalesce(k.version_after, 0)
RETURN k.label AS label, n.id AS id
ORDER BY label, id

// knowledge/restore, give the nodes of a receipt back what it kept, and close it: all of it where a node is as the
//                    receipt left it, else only those marks that are: who was superseded, put away or retracted since
//                    stays so. Older receipts know no marks (not `sealed`). Nothing happens where it was undone before
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    restored
CYPHER 25 MATCH (receipt:Receipt {id: $id})
WHERE receipt.scope IN $scopes AND receipt.undone_at IS NULL
SET receipt.undone_at = $now
WITH receipt
CALL (receipt) {
  MATCH (k:Kept)
  WHERE k.receipt_id = receipt.id AND k.scope IN $scopes
  WITH k ORDER BY k.node_id
  MATCH (n:$(k.label) {id: k.node_id})
  SET n.lock = 1
  REMOVE n.lock
  WITH k, n, coalesce(n.version, 0) = coalesce(k.version_after, 0) AS untouched,
    [one IN n.retractions WHERE one <> receipt.id] AS others,
    [mark IN ['status', 'retracted_at', 'archived_at', 'merged_into', 'live_hash'] WHERE k.sealed IS NULL
       OR coalesce(n[mark] = k[mark + '_after'], n[mark] IS NULL AND k[mark + '_after'] IS NULL)] AS marks
  SET n.retractions = CASE WHEN size(others) > 0 THEN others END
  FOREACH (mark IN marks | SET n[mark] = k[mark])
  FOREACH (_ IN CASE WHEN untouched THEN [1] ELSE [] END |
    SET n.version = k.version, n.stage = k.stage, n.overall = k.overall, n.ceiling = k.ceiling, n.sources = k.sources,
        n.statements = k.statements, n.open_tensions = k.open_tensions, n.settled_at = k.settled_at,
        n.confirmed_at = k.confirmed_at, n.history = k.history,
        n.c_internal_consistency = k.c_internal_consistency, n.c_temporal_freshness = k.c_temporal_freshness,
        n.c_corroboration = k.c_corroboration, n.aliases = k.aliases, n.upstream = k.upstream, n.voices = k.voices,
        n.depth = coalesce(k.depth, n.depth))
  FOREACH (_ IN CASE WHEN untouched THEN [] ELSE [1] END | SET n.version = n.version + 1)
  DETACH DELETE k
  RETURN count(n) AS restored
}
RETURN restored
