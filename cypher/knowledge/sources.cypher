// knowledge/source_of_content, the source with the same content
// mode:       read
// returns:    maybe
// parameters: $content_hash STRING, $scope STRING
// columns:    id
CYPHER 25 MATCH (s:Source)
WHERE s.scope = $scope AND s.content_hash = $content_hash
RETURN s.id AS id
ORDER BY id
LIMIT 1

// knowledge/create_source, a source; the same one again is found
// mode:       write
// returns:    one
// parameters: $source MAP, $scope STRING, $recorded_at ZONED DATETIME
// columns:    id, created
CYPHER 25 MERGE (known:Scope {id: $scope})
ON CREATE SET known.scope = $scope, known.recorded_at = $recorded_at
WITH 1 AS one
MERGE (s:Source {id: $source.id})
ON CREATE SET s += $source
RETURN s.id AS id, s.recorded_at = $recorded_at AS created

// knowledge/set_trust, how far one source trusts another; said again it is replaced
// mode:       write
// returns:    maybe
// parameters: $from_id STRING, $to_id STRING, $weight FLOAT, $scope STRING, $scopes LIST<STRING>, $now ZONED DATETIME
// columns:    from_source_id, to_source_id, weight, recorded_at
CYPHER 25 MATCH (a:Source {id: $from_id})
WHERE a.scope = $scope
MATCH (b:Source {id: $to_id})
WHERE b.scope IN $scopes AND a <> b
MERGE (a)-[trusts:TRUSTS]->(b)
SET trusts.weight = $weight, trusts.scope = $scope, trusts.recorded_at = $now
RETURN a.id AS from_source_id, b.id AS to_source_id, trusts.weight AS weight, trusts.recorded_at AS recorded_at

// knowledge/trust_edges, TRUSTS within three hops of a source; without one, all of them
// mode:       read
// returns:    many
// parameters: $source_id STRING, $scopes LIST<STRING>, $limit INTEGER
// columns:    from_source_id, to_source_id, weight, recorded_at
CYPHER 25 CALL () {
  WHEN $source_id IS NULL THEN {
    MATCH (a:Source)-[t:TRUSTS]->(b:Source)
    WHERE a.scope IN $scopes AND b.scope IN $scopes
    RETURN a, t, b
    ORDER BY a.id, b.id
    LIMIT $limit
  }
  ELSE {
    MATCH (s:Source {id: $source_id})
    WHERE s.scope IN $scopes
    MATCH (s) ((x:Source)-[:TRUSTS]->(y:Source WHERE y.scope IN $scopes)){0,2} (a)-[t:TRUSTS]->(b:Source)
    WHERE b.scope IN $scopes
    WITH DISTINCT a, t, b
    RETURN a, t, b
    ORDER BY a.id, b.id
    LIMIT $limit
  }
}
RETURN a.id AS from_source_id, b.id AS to_source_id, t.weight AS weight, t.recorded_at AS recorded_at
ORDER BY from_source_id, to_source_id

// knowledge/rate_sources, store what sources ([id, reliability]) have earned, where that has changed: answers and
//                         corroboration weigh by it
// mode:       write
// returns:    one
// parameters: $rows LIST<LIST<ANY>>, $scope STRING
// columns:    changed
CYPHER 25 UNWIND $rows AS row
MATCH (s:Source {id: row[0]})
WHERE s.scope = $scope AND (s.reliability IS NULL OR abs(s.reliability - row[1]) > 1e-9)
SET s.reliability = row[1], s.reputation = row[1], s.version = coalesce(s.version, 1) + 1
RETURN count(s) AS changed

// knowledge/sources, sources newest first with the number of authors who confirmed, disputed or superseded what they said:
//                    each author once, however much it agrees with, and never one who speaks through the source itself;
//                    null narrows nothing. Feedback on answers counts once for each piece of evidence, as most of it says
// mode:       read
// returns:    many
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>, $kind STRING, $after STRING, $corroborated INTEGER,
//             $owner STRING, $limit INTEGER
// columns:    source, beliefs, confirmed, disputed, superseded, answered_right, answered_wrong
CYPHER 25 MATCH (s:Source)
WHERE s.scope IN $scopes AND ($ids IS NULL OR s.id IN $ids) AND ($kind IS NULL OR s.kind = $kind)
  AND s.id < coalesce($after, '\uFFFF')
WITH s ORDER BY s.id DESC LIMIT $limit
CALL (s) {
  OPTIONAL MATCH (s)<-[:FROM]-(p:Provenance)<-[:HAS_PROVENANCE]-(b:Belief)
  WHERE p.retracted_at IS NULL AND NOT coalesce(p.recalled, false) AND b.scope IN $scopes
    AND b.retracted_at IS NULL AND b.merged_into IS NULL
  RETURN count(DISTINCT b) AS beliefs, collect(DISTINCT b) AS said, collect(DISTINCT coalesce(p.author, $owner)) AS own
}
CALL (s, said, own) {
  UNWIND said AS b
  CALL (b) {
    WITH b WHERE b.status IN ['active', 'disputed'] AND b.sources >= $corroborated
    RETURN b AS judge, 'confirmed' AS verdict
    UNION
    MATCH (b)<-[:BETWEEN]-(t:Tension)-[:BETWEEN]->(judge:Belief)
    WHERE b.status = 'disputed' AND judge <> b AND t.status IN ['detected', 'investigating']
      AND judge.status IN ['active', 'disputed']
    RETURN judge, 'disputed' AS verdict
    UNION
    MATCH (b)<-[:SUPERSEDES]-(judge:Belief)
    WHERE b.status = 'superseded'
    RETURN judge, 'superseded' AS verdict
  }
  MATCH (judge)-[:HAS_PROVENANCE]->(q:Provenance)-[:FROM]->(other:Source)
  WHERE q.retracted_at IS NULL AND other.retracted_at IS NULL AND NOT coalesce(q.recalled, false)
    AND NOT coalesce(q.derived, false) AND NOT coalesce(q.author, $owner) IN own
    AND (s.site IS NULL OR NOT s.site IN coalesce(q.sites, []))
  WITH DISTINCT verdict, coalesce(q.author, $owner) AS author
  RETURN sum(CASE verdict WHEN 'confirmed' THEN 1 ELSE 0 END) AS confirmed,
    sum(CASE verdict WHEN 'disputed' THEN 1 ELSE 0 END) AS disputed,
    sum(CASE verdict WHEN 'superseded' THEN 1 ELSE 0 END) AS superseded
}
CALL (s) {
  OPTIONAL MATCH (s)<-[:FROM]-(:Provenance)<-[:HAS_PROVENANCE]-(e:Evidence)<-[:WEIGHS]-(f:Feedback)
  WITH e, sum(CASE f.verdict WHEN 'right' THEN 1 WHEN 'wrong' THEN -1 ELSE 0 END) AS said
  RETURN count(CASE WHEN said > 0 THEN 1 END) AS answered_right, count(CASE WHEN said < 0 THEN 1 END) AS answered_wrong
}
RETURN s {.id, .scope, .kind, .title, .name, .uri, .upstream, .content_hash, .retracted_at, .recorded_at, .version}
  AS source, beliefs, confirmed, disputed, superseded, answered_right, answered_wrong
ORDER BY s.id DESC

// knowledge/topic_beliefs, active beliefs on a topic by meaning or by words, with what they are about and who says them;
//                          where it is asked about an entity, also those about it that are near the topic
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $words STRING, $scopes LIST<STRING>, $entity_id STRING, $least FLOAT, $limit INTEGER
// columns:    id, overall, entities, sources
CYPHER 25 CALL () {
  MATCH (b:Belief)
  SEARCH b IN (VECTOR INDEX belief_embedding FOR $embedding WHERE b.scope IN $scopes AND b.status = 'active' LIMIT $limit)
    SCORE AS score
  WITH b, score
  WHERE 2.0 * score - 1.0 >= $least
  RETURN b
  UNION
  CALL db.index.fulltext.queryNodes('belief_text', $words, {limit: 5 * $limit}) YIELD node AS b, score
  WHERE b.scope IN $scopes AND b.status = 'active'
  WITH b ORDER BY score DESC, b.id LIMIT $limit
  RETURN b
  UNION
  MATCH (about:Entity {id: $entity_id})<-[:ABOUT]-(b:Belief)
  WHERE about.scope IN $scopes AND b.scope IN $scopes AND b.status = 'active'
  WITH DISTINCT b, 2.0 * vector.similarity.cosine(b.embedding, $embedding) - 1.0 AS similarity
  WHERE similarity >= $least
  WITH b ORDER BY similarity DESC, b.id LIMIT $limit
  RETURN b
}
WITH DISTINCT b
WHERE b.retracted_at IS NULL AND b.merged_into IS NULL
  AND ($entity_id IS NULL OR EXISTS { MATCH (b)-[:ABOUT]->(about:Entity) WHERE about.id = $entity_id })
RETURN b.id AS id, b.overall AS overall,
  COLLECT { MATCH (b)-[:ABOUT]->(e:Entity) WHERE e.scope IN $scopes AND e.merged_into IS NULL
            WITH DISTINCT e ORDER BY e.id RETURN [e.id, e.name] } AS entities,
  COLLECT { MATCH (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s:Source)
            WHERE s.scope IN $scopes AND p.retracted_at IS NULL AND s.retracted_at IS NULL
            WITH DISTINCT s ORDER BY s.id RETURN [s.id, coalesce(s.title, s.name, s.id)] } AS sources
ORDER BY id
LIMIT 1000
