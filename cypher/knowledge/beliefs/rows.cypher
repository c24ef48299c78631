// knowledge/settle, confidence, stage and status of beliefs and then of what was derived from them, parents first: from
//                   their statements, their sources, their open tensions, their lineage and their age. Each change is
//                   kept in `history` for questions about the past: the instant, then what $record names, in its order
//                   ($absent: none). The formulas are those of clause/knowledge/beliefs/confidence.py, and the count of
//                   sources that of tests/reference/source_counts.py; every number and word of a rule comes from the
//                   first. `upstream` are the voices of the lineage, `voices` those and the
//                   belief's own: whoever is among them adds nothing to what is derived from it
// mode:       write
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $now ZONED DATETIME, $dimensions LIST<STRING>, $weights MAP,
//             $floor FLOAT, $ladder LIST<FLOAT>, $half_lives MAP, $penalties MAP, $corroborated INTEGER,
//             $author_likeness FLOAT, $owner STRING, $everyone STRING, $most_voices INTEGER,
//             $stages LIST<MAP>, $active STRING, $disputed STRING, $open LIST<STRING>, $record LIST<STRING>,
//             $absent FLOAT
// columns:    id, overall, stage, sources, version
CYPHER 25 UNWIND $ids AS id
MATCH (root:Belief {id: id})
WHERE root.scope IN $scopes
CALL (root) {
  MATCH (root)<-[:DERIVED_FROM*0..]-(b:Belief)
  RETURN DISTINCT b
}
WITH DISTINCT b
WHERE b.scope IN $scopes
WITH b
ORDER BY coalesce(b.depth, 0), b.id
CALL (b) {
  SET b.settled_at = $now
  WITH b
  CALL (b) {
    OPTIONAL MATCH (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
    WHERE p.retracted_at IS NULL AND s.retracted_at IS NULL AND p.origin IS NOT NULL
    WITH p, s, 'a:' + coalesce(p.author, $owner) AS author, [one IN coalesce(p.sites, []) | 'h:' + one] AS sites
    ORDER BY p.recorded_at, p.id
    RETURN collect(CASE WHEN p IS NOT NULL THEN
      {marks: ['o:' + p.origin] + CASE WHEN p.session_id IS NULL THEN [] ELSE ['s:' + p.session_id] END
              + CASE WHEN size(sites) = 0 THEN [author] ELSE sites END,
       author: author, words: coalesce(p.words, []), recalled: coalesce(p.recalled, false),
       derived: coalesce(p.derived, false), reliability: coalesce(s.reliability, p.reliability)} END) AS stated
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
  CALL (b) {
    OPTIONAL MATCH (b)-[:DERIVED_FROM]->(parent)
    CALL (parent) {
      UNWIND CASE WHEN parent:Belief THEN coalesce(parent.voices, [$everyone]) ELSE [] END AS voice
      RETURN voice
      UNION
      MATCH (parent)-[:FROM]->(s:Source)
      UNWIND CASE WHEN s.site IS NULL THEN ['o:' + s.id] ELSE ['o:' + s.id, 'h:' + s.site] END AS voice
      RETURN voice
      UNION
      MATCH (parent)<-[:HAS_PASSAGE]-(:Document)-[:FROM]->(s:Source)
      UNWIND CASE WHEN s.site IS NULL THEN ['o:' + s.id] ELSE ['o:' + s.id, 'h:' + s.site] END AS voice
      RETURN voice
    }
    WITH DISTINCT voice
    ORDER BY voice
    RETURN collect(voice) AS upstream
  }
  WITH b, severities, lineage, upstream, size(stated) AS statements,
    CASE WHEN size(upstream) > 0 OR any(p IN stated WHERE p.derived)
         THEN [p IN stated WHERE NOT p.recalled | p {.*, marks: p.marks + p.author}]
         ELSE [p IN stated WHERE NOT p.recalled] END AS said
  WITH b, severities, lineage, upstream, statements, said,
    reduce(state = {seen: upstream, apart: [], direct: 0.0}, p IN said |
    CASE
      WHEN p.derived OR $everyone IN state.seen OR any(mark IN p.marks WHERE mark IN state.seen)
        THEN {seen: state.seen + [mark IN p.marks WHERE NOT mark IN state.seen], direct: state.direct,
              apart: CASE WHEN size(upstream) > 0 AND size(state.apart) = 0 THEN [[0.0, p.words, p.reliability, p.author]] ELSE state.apart END}
      ELSE head([most IN [reduce(most = 0.0, other IN state.apart |
              reduce(m = CASE WHEN other[3] = p.author AND $author_likeness > most THEN $author_likeness ELSE most END,
                     likeness IN CASE WHEN size(p.words) + size(other[1]) = 0 THEN []
                       ELSE [toFloat(size([w IN p.words WHERE w IN other[1]]))
                       / (size(p.words) + size(other[1]) - size([w IN p.words WHERE w IN other[1]]))] END |
                     CASE WHEN likeness > m THEN likeness ELSE m END))] |
             {seen: state.seen + [mark IN p.marks WHERE NOT mark IN state.seen], direct: state.direct + (1.0 - most),
              apart: state.apart + [[most, p.words, p.reliability, p.author]]}])
    END) AS state
  WITH b, severities, lineage, upstream, statements, said, state,
    CASE WHEN size(said) > 0 AND size(state.apart) = 0 THEN 1
         ELSE toInteger(reduce(sum = 0.0, c IN state.apart | sum + (1.0 - c[0])) + 0.5 + 1e-9) END AS sources,
    toInteger(state.direct + 0.5 + 1e-9) >= 1 AS freed,
    1.0 - reduce(missing = 1.0, c IN state.apart | missing * (1.0 - c[2] * (1.0 - c[0]))) AS combined,
    state.seen + reduce(more = [], p IN said |
      CASE WHEN p.author IN state.seen OR p.author IN more THEN more ELSE more + p.author END) AS voices
  WITH b, severities, CASE WHEN NOT freed THEN lineage END AS ceiling, statements, sources, combined,
    CASE WHEN size(upstream) > $most_voices THEN [$everyone] ELSE upstream END AS upstream,
    CASE WHEN size(voices) > $most_voices THEN [$everyone] ELSE voices END AS voices
  WITH b, severities, ceiling, upstream, voices, statements, sources,
    CASE WHEN sources < $corroborated THEN b.given_corroboration
         ELSE reduce(most = combined, other IN [$ladder[CASE WHEN sources < size($ladder) THEN sources ELSE size($ladder) END - 1],
                coalesce(b.given_corroboration, 0.0)] | CASE WHEN other > most THEN other ELSE most END) END AS corroboration,
    coalesce(b.given_consistency, 1.0) * reduce(left = 1.0, severity IN severities | left * (1.0 - $penalties[severity]))
      AS consistency,
    ($now.epochMillis - b.confirmed_at.epochMillis) / 86400000.0 AS age
  WITH b, severities, ceiling, upstream, voices, statements, sources, corroboration, consistency,
    coalesce(b.given_freshness, 1.0)
      * CASE WHEN $half_lives[b.decay] IS NULL OR age <= 0 THEN 1.0 ELSE 2.0 ^ (-age / $half_lives[b.decay]) END AS freshness
  WITH b, severities, ceiling, upstream, voices, statements, sources,
    {source_reliability: b.c_source_reliability, method_quality: b.c_method_quality, internal_consistency: consistency,
     temporal_freshness: freshness, corroboration: corroboration, domain_applicability: b.c_domain_applicability} AS given
  WITH b, severities, ceiling, upstream, voices, statements, sources, given,
    [name IN $dimensions WHERE given[name] IS NOT NULL |
     [$weights[name], CASE WHEN given[name] < $floor THEN $floor ELSE given[name] END]] AS present
  WITH b, severities, ceiling, upstream, voices, statements, sources, given,
    exp(reduce(sum = 0.0, d IN present | sum + d[0] * log(d[1])) / reduce(sum = 0.0, d IN present | sum + d[0])) AS mean
  WITH b, severities, ceiling, upstream, voices, statements, sources, given, mean,
    given {.*, temporal_freshness: coalesce(b.given_freshness, 1.0), confirmed_at: b.confirmed_at.epochMillis,
           sources: sources, open_tensions: size(severities), statements: statements, ceiling: ceiling} AS record
  WITH b, severities, ceiling, upstream, voices, statements, sources, given,
    CASE WHEN ceiling < mean THEN ceiling WHEN mean > 1.0 THEN 1.0 ELSE mean END AS overall,
    [name IN $record | coalesce(toFloat(record[name]), $absent)] AS entry
  SET b.version = b.version + CASE WHEN b.id IN $ids OR b.history[-size(entry)..] <> entry OR b.overall <> overall
                                   THEN 1 ELSE 0 END
  SET b.c_internal_consistency = given.internal_consistency, b.c_temporal_freshness = given.temporal_freshness,
      b.c_corroboration = given.corroboration, b.upstream = upstream, b.voices = voices,
      b.ceiling = ceiling, b.overall = overall,
      b.sources = sources, b.statements = statements, b.open_tensions = size(severities),
      b.stage = [step IN $stages WHERE step.below IS NULL OR sources < step.below | step.name][0],
      b.status = CASE WHEN NOT b.status IN [$active, $disputed] THEN b.status
                      WHEN size(severities) > 0 THEN $disputed ELSE $active END,
      b.history = CASE WHEN b.history[-size(entry)..] = entry THEN b.history
                       ELSE coalesce(b.history, []) + [toFloat($now.epochMillis)] + entry END
}
RETURN b.id AS id, b.overall AS overall, b.stage AS stage, b.sources AS sources, b.version AS version
