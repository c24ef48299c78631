// knowledge/settle, confidence, stage and status of beliefs, derived from their statements, their sources, their open
//                   tensions, their lineage and their age; each change is kept in `history` for questions about the past:
//                   the instant, then what $record names, in its order ($absent: none). The formulas are those of
//                   clause/knowledge/beliefs/confidence.py, every number and word of a rule comes from there
// mode:       write
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $now ZONED DATETIME, $dimensions LIST<STRING>, $weights MAP,
//             $floor FLOAT, $ladder LIST<FLOAT>, $half_lives MAP, $penalties MAP, $corroborated INTEGER,
//             $stages LIST<MAP>, $active STRING, $disputed STRING, $open LIST<STRING>, $record LIST<STRING>,
//             $absent FLOAT
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
  WHERE other <> b AND t.status IN $open AND other.status IN [$active, $disputed]
    AND b.status IN [$active, $disputed]
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
  CASE WHEN sources < $corroborated THEN b.given_corroboration
       ELSE reduce(most = combined, other IN [$ladder[CASE WHEN sources < size($ladder) THEN sources ELSE size($ladder) END - 1],
              coalesce(b.given_corroboration, 0.0)] | CASE WHEN other > most THEN other ELSE most END) END AS corroboration,
  coalesce(b.given_consistency, 1.0) * reduce(left = 1.0, severity IN severities | left * (1.0 - $penalties[severity]))
    AS consistency,
  ($now.epochMillis - b.confirmed_at.epochMillis) / 86400000.0 AS age
WITH b, severities, lineage, statements, sources, corroboration, consistency,
  coalesce(b.given_freshness, 1.0)
    * CASE WHEN $half_lives[b.decay] IS NULL OR age <= 0 THEN 1.0 ELSE 2.0 ^ (-age / $half_lives[b.decay]) END AS freshness
WITH b, severities, lineage, statements, sources, corroboration, consistency, freshness,
  {source_reliability: b.c_source_reliability, method_quality: b.c_method_quality, internal_consistency: consistency,
   temporal_freshness: freshness, corroboration: corroboration, domain_applicability: b.c_domain_applicability} AS given
WITH b, severities, lineage, statements, sources, given,
  [name IN $dimensions WHERE given[name] IS NOT NULL |
   [$weights[name], CASE WHEN given[name] < $floor THEN $floor ELSE given[name] END]] AS present
WITH b, severities, lineage, statements, sources, given,
  exp(reduce(sum = 0.0, d IN present | sum + d[0] * log(d[1])) / reduce(sum = 0.0, d IN present | sum + d[0])) AS mean
WITH b, severities, statements, sources, given, mean, CASE WHEN sources < $corroborated THEN lineage END AS ceiling
WITH b, severities, statements, sources, given, mean, ceiling,
  given {.*, temporal_freshness: coalesce(b.given_freshness, 1.0), confirmed_at: b.confirmed_at.epochMillis,
         sources: sources, open_tensions: size(severities), statements: statements, ceiling: ceiling} AS record
WITH b, severities, statements, sources, given, mean, ceiling,
  [name IN $record | coalesce(toFloat(record[name]), $absent)] AS entry
SET b.c_internal_consistency = given.internal_consistency, b.c_temporal_freshness = given.temporal_freshness,
    b.c_corroboration = given.corroboration,
    b.ceiling = ceiling, b.overall = CASE WHEN ceiling < mean THEN ceiling WHEN mean > 1.0 THEN 1.0 ELSE mean END,
    b.sources = sources, b.statements = statements, b.open_tensions = size(severities),
    b.stage = [step IN $stages WHERE step.below IS NULL OR sources < step.below | step.name][0],
    b.status = CASE WHEN NOT b.status IN [$active, $disputed] THEN b.status
                    WHEN size(severities) > 0 THEN $disputed ELSE $active END,
    b.history = CASE WHEN b.history[-size(entry)..] = entry THEN b.history
                     ELSE coalesce(b.history, []) + [toFloat($now.epochMillis)] + entry END
RETURN b.id AS id, b.overall AS overall, b.stage AS stage, b.sources AS sources, b.version AS version
