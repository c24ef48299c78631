// reasoning/withheld, sources by id, uri or title, or texts by id; what has no source of its own is named by the uri that
//                     evidence tells for it (neo4j://belief/ID)
// mode:       read
// returns:    many
// parameters: $names LIST<STRING>, $sources BOOLEAN, $scopes LIST<STRING>
// columns:    name, id, is_source
CYPHER 25 UNWIND $names AS name
CALL (name) {
  MATCH (n:Source)
  WHERE $sources AND n.scope IN $scopes AND (n.id = name OR n.uri = name OR n.title = name)
  RETURN n, true AS is_source
  UNION
  MATCH (n:Belief|Passage|Document|Memory|Experience|Value|Insight|Exchange {id: CASE WHEN name STARTS WITH 'neo4j://' THEN split(name, '/')[-1] ELSE name END})
  WHERE (NOT $sources OR name STARTS WITH 'neo4j://') AND n.scope IN $scopes
  RETURN n, false AS is_source
}
RETURN name, n.id AS id, is_source
ORDER BY name, id
LIMIT 10000

// reasoning/are_triples, which [head, type, tail] there are
// mode:       read
// returns:    many
// parameters: $edges LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    edge
CYPHER 25 UNWIND $edges AS edge
MATCH (a:Entity {id: edge[0]}) WHERE a.scope IN $scopes
MATCH (b:Entity {id: edge[2]}) WHERE b.scope IN $scopes
WITH edge, a, b
WHERE EXISTS { MATCH (a)-[r]->(b) WHERE type(r) = edge[1] AND (r.scope IS NULL OR r.scope IN $scopes) }
RETURN DISTINCT edge
ORDER BY edge
LIMIT 1000

// reasoning/fallen, texts that rest on these sources and texts alone: said by nobody else, and derived from nothing else
// mode:       read
// returns:    many
// parameters: $sources LIST<STRING>, $texts LIST<STRING>, $scopes LIST<STRING>, $limit INTEGER
// columns:    id
CYPHER 25 CALL () {
  UNWIND $sources AS source
  MATCH (s:Source {id: source})<-[:FROM]-(:Provenance)<-[:HAS_PROVENANCE]-(x:Belief|Memory|Experience|Value)
  RETURN x
  UNION
  UNWIND $sources AS source
  MATCH (s:Source {id: source})<-[:FROM]-(x:Document)
  RETURN x
  UNION
  UNWIND $texts AS text
  MATCH (:Belief|Passage|Document|Memory|Experience|Value|Insight|Exchange {id: text})<-[:DERIVED_FROM|SUPPORTED_BY]-(x:Belief|Memory|Experience|Value|Insight)
  RETURN x
  UNION
  UNWIND $texts AS text
  MATCH (:Document {id: text})-[:HAS_PASSAGE]->(x:Passage)
  RETURN x
}
WITH DISTINCT x
WHERE x.scope IN $scopes AND NOT x.id IN $texts
  AND NOT EXISTS {
    MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(other:Source)
    WHERE NOT other.id IN $sources AND p.retracted_at IS NULL AND other.retracted_at IS NULL
      AND NOT coalesce(p.recalled, false) AND NOT coalesce(p.derived, false)
  }
  AND NOT EXISTS {
    MATCH (x)-[:DERIVED_FROM|SUPPORTED_BY]->(parent:Belief|Passage|Document|Memory|Experience|Value|Insight|Exchange)
    WHERE NOT parent.id IN $texts AND parent.retracted_at IS NULL
  }
RETURN x.id AS id
ORDER BY id
LIMIT $limit

// reasoning/texts_left_out, texts of some scopes that a request's filters leave out, each with the first filter that does.
//                           Confidence fades between settlings: freshness and overall are those of $at, by knowledge/settle's
//                           formulas, over what is known now or, with $recorded, over the record of then (a record of
//                           `history` is its instant, then SETTLED in clause/knowledge/beliefs/models.py, as numbers)
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $kinds LIST<STRING>, $floors MAP, $dimensions LIST<STRING>, $at ZONED DATETIME,
//             $recorded ZONED DATETIME, $record INTEGER, $absent FLOAT, $weights MAP, $least FLOAT, $half_lives MAP,
//             $since ZONED DATETIME, $until ZONED DATETIME, $limit INTEGER
// columns:    id, filter
CYPHER 25 MATCH (n:Passage|Belief|Memory|Insight|Value|Experience)
WHERE n.scope IN $scopes
CALL (n) {
  WHEN n:Belief AND size($dimensions) > 0 THEN {
    WITH n, CASE WHEN $recorded IS NOT NULL THEN $record *
      size([i IN range($record, size(coalesce(n.history, [])) - 1, $record) WHERE n.history[i] <= $recorded.epochMillis]) END AS first
    WITH n, CASE
      WHEN first IS NULL THEN
        {source_reliability: n.c_source_reliability, method_quality: n.c_method_quality,
         internal_consistency: n.c_internal_consistency, temporal_freshness: n.given_freshness,
         corroboration: n.c_corroboration, domain_applicability: n.c_domain_applicability,
         confirmed_at: n.confirmed_at.epochMillis, ceiling: n.ceiling}
      ELSE
        {source_reliability: nullIf(n.history[first + 1], $absent), method_quality: nullIf(n.history[first + 2], $absent),
         internal_consistency: nullIf(n.history[first + 3], $absent), temporal_freshness: nullIf(n.history[first + 4], $absent),
         corroboration: nullIf(n.history[first + 5], $absent), domain_applicability: nullIf(n.history[first + 6], $absent),
         confirmed_at: n.history[first + 7], ceiling: nullIf(n.history[first + 11], $absent)}
    END AS known
    WITH n, known, ($at.epochMillis - known.confirmed_at) / 86400000.0 AS age
    WITH known {.*, temporal_freshness: coalesce(known.temporal_freshness, 1.0)
      * CASE WHEN $half_lives[n.decay] IS NULL OR age <= 0 THEN 1.0 ELSE 2.0 ^ (-age / $half_lives[n.decay]) END} AS known
    WITH known, [name IN keys($weights) WHERE known[name] IS NOT NULL |
                 [$weights[name], CASE WHEN known[name] < $least THEN $least ELSE known[name] END]] AS present
    WITH known, exp(reduce(sum = 0.0, d IN present | sum + d[0] * log(d[1])) / reduce(sum = 0.0, d IN present | sum + d[0])) AS mean
    WITH known {.*, overall: CASE WHEN known.ceiling < mean THEN known.ceiling WHEN mean > 1.0 THEN 1.0 ELSE mean END} AS known
    RETURN head([name IN $dimensions WHERE coalesce(known[name], -1.0) < $floors[name]]) AS floor
  }
  ELSE {
    RETURN NULL AS floor
  }
}
WITH n, coalesce(n.occurred_at, n.recorded_at) AS at, floor
WITH n, CASE
  WHEN size($kinds) > 0 AND NOT any(kind IN $kinds WHERE kind IN [label IN labels(n) | toLower(label)]) THEN 'kinds'
  WHEN $since IS NOT NULL AND coalesce(at < $since, true) THEN 'since'
  WHEN $until IS NOT NULL AND coalesce(at >= $until, true) THEN 'until'
  WHEN floor IS NOT NULL THEN 'floors.' + floor
END AS filter
WHERE filter IS NOT NULL
RETURN n.id AS id, filter
ORDER BY id
LIMIT $limit
