// knowledge/settle, confidence, stage and status of beliefs, derived from their statements, their sources, their open
//                   tensions, their lineage and their age; each change is kept in `history` for questions about the past
//                   (twelve numbers an entry: instant, source_reliability, method_quality, internal_consistency, freshness
//                   given, corroboration, domain_applicability, confirmed, sources, open tensions, statements,
//                   ceiling; -1 for absent).
//                   The formulas are those of clause/knowledge/confidence.py, the numbers come from there
// mode:       write
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $now ZONED DATETIME, $weights LIST<FLOAT>, $floor FLOAT,
//             $ladder LIST<FLOAT>, $half_lives MAP, $penalties MAP
// columns:    id, overall, stage, sources, version
CYPHER 25 UNWIND $ids AS id
MATCH (b:Belief {id: id})
WHERE b.scope IN $scopes
SET b.settled_at = $now
SET b.version = b.version + 1
WITH b
CALL (b) {
  OPTIONAL MATCH (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
  WHERE p.retracted_at IS NULL AND s.retracted_at IS NULL AND p.origin IS NOT NULL
  WITH p, s
  ORDER BY p.recorded_at, p.id
  RETURN collect(CASE WHEN p IS NOT NULL THEN
    {origin: 'o:' + p.origin, session: 's:' + p.session_id, words: coalesce(p.words, []), recalled: p.recalled,
     reliability: coalesce(s.reliability, p.reliability)} END) AS stated
}
CALL (b) {
  OPTIONAL MATCH (b)<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(other:Belief)
  WHERE other <> b AND t.status IN ['detected', 'investigating'] AND other.status IN ['active', 'disputed']
    AND b.status IN ['active', 'disputed']
  RETURN collect(t.severity) AS severities
}
CALL (b) {
  OPTIONAL MATCH (b)-[:DERIVED_FROM]->(parent)
  WHERE parent.overall IS NOT NULL
  RETURN min(parent.overall) AS lineage
}
WITH b, severities, lineage, stated, reduce(state = {seen: [], counted: [], missing: 1.0}, p IN stated |
  CASE
    WHEN p.recalled THEN state
    WHEN p.origin IN state.seen OR coalesce(p.session IN state.seen, false)
      THEN {seen: state.seen + [mark IN [p.origin, p.session] WHERE mark IS NOT NULL AND NOT mark IN state.seen],
            counted: state.counted, missing: state.missing}
    ELSE {seen: state.seen + [mark IN [p.origin, p.session] WHERE mark IS NOT NULL],
          counted: state.counted + [[reduce(most = 0.0, other IN state.counted |
            CASE WHEN size(p.words) + size(other[1]) = 0 THEN most
                 ELSE reduce(m = most, likeness IN [toFloat(size([w IN p.words WHERE w IN other[1]]))
                   / (size(p.words) + size(other[1]) - size([w IN p.words WHERE w IN other[1]]))] |
                   CASE WHEN likeness > m THEN likeness ELSE m END) END), p.words, p.reliability]],
          missing: state.missing}
  END) AS state
WITH b, severities, lineage, size(stated) AS statements,
  size([c IN state.counted WHERE c[0] < 1.0]) AS sources,
  1.0 - reduce(missing = 1.0, c IN state.counted | missing * (1.0 - c[2] * (1.0 - c[0]))) AS combined
WITH b, severities, lineage, statements, sources,
  CASE WHEN sources < 2 THEN b.given_corroboration
       ELSE reduce(most = combined, other IN [$ladder[CASE WHEN sources < size($ladder) THEN sources ELSE size($ladder) END - 1],
              coalesce(b.given_corroboration, 0.0)] | CASE WHEN other > most THEN other ELSE most END) END AS corroboration,
  coalesce(b.given_consistency, 1.0) * reduce(left = 1.0, severity IN severities | left * (1.0 - $penalties[severity]))
    AS consistency,
  ($now.epochMillis - b.confirmed_at.epochMillis) / 86400000.0 AS age
WITH b, severities, lineage, statements, sources, corroboration, consistency,
  coalesce(b.given_freshness, 1.0)
    * CASE WHEN $half_lives[b.decay] IS NULL OR age <= 0 THEN 1.0 ELSE 2.0 ^ (-age / $half_lives[b.decay]) END AS freshness
WITH b, severities, lineage, statements, sources, corroboration, consistency, freshness,
  [d IN [[$weights[0], b.c_source_reliability], [$weights[1], b.c_method_quality], [$weights[2], consistency],
         [$weights[3], freshness], [$weights[4], corroboration], [$weights[5], b.c_domain_applicability]]
   WHERE d[1] IS NOT NULL | [d[0], CASE WHEN d[1] < $floor THEN $floor ELSE d[1] END]] AS present
WITH b, severities, lineage, statements, sources, corroboration, consistency, freshness,
  exp(reduce(sum = 0.0, d IN present | sum + d[0] * log(d[1])) / reduce(sum = 0.0, d IN present | sum + d[0])) AS mean
WITH b, severities, statements, sources, corroboration, consistency, freshness, mean,
  CASE WHEN sources < 2 THEN lineage END AS ceiling,
  [coalesce(b.c_source_reliability, -1.0), coalesce(b.c_method_quality, -1.0), consistency,
   coalesce(b.given_freshness, 1.0), coalesce(corroboration, -1.0), coalesce(b.c_domain_applicability, -1.0),
   toFloat(b.confirmed_at.epochMillis), toFloat(sources), toFloat(size(severities)), toFloat(statements),
   coalesce(CASE WHEN sources < 2 THEN lineage END, -1.0)] AS entry
SET b.c_internal_consistency = consistency, b.c_temporal_freshness = freshness, b.c_corroboration = corroboration,
    b.ceiling = ceiling, b.overall = CASE WHEN ceiling < mean THEN ceiling WHEN mean > 1.0 THEN 1.0 ELSE mean END,
    b.sources = sources, b.statements = statements, b.open_tensions = size(severities),
    b.stage = CASE WHEN sources < 2 THEN 'tentative' WHEN sources < 4 THEN 'emerging' ELSE 'established' END,
    b.status = CASE WHEN NOT b.status IN ['active', 'disputed'] THEN b.status
                    WHEN size(severities) > 0 THEN 'disputed' ELSE 'active' END,
    b.history = CASE WHEN b.history[-11..] = entry THEN b.history
                     ELSE coalesce(b.history, []) + [toFloat($now.epochMillis)] + entry END
RETURN b.id AS id, b.overall AS overall, b.stage AS stage, b.sources AS sources, b.version AS version
