// knowledge/erase_traces, remove kept answers, ended jobs, loads that nobody does any more (another would go on behind what
//                         is erased) and curiosity's questions of whatever scope, with their findings, that hold a piece of
//                         text (as JSON writes it): they repeat what callers sent and got
// mode:       write
// returns:    one
// parameters: $pieces LIST<STRING>
// columns:    answers, jobs, questions
CYPHER 25 CALL () {
  MATCH (k:IdempotencyKey)
  WHERE any(piece IN $pieces WHERE k.response CONTAINS piece)
  DETACH DELETE k
  RETURN count(*) AS answers
}
CALL () {
  MATCH (j:Job)
  WHERE (j.state IN ['succeeded', 'failed', 'cancelled'] OR j.kind STARTS WITH 'load_' AND NOT EXISTS {
      MATCH (lease:JobLease {id: j.resource})
      WHERE lease.job_id = j.id AND lease.expires_at > datetime.realtime()
    })
    AND any(piece IN $pieces WHERE j.parameters CONTAINS piece OR j.cursor CONTAINS piece
            OR coalesce(j.message, '') CONTAINS piece OR coalesce(j.error, '') CONTAINS piece)
  DETACH DELETE j
  RETURN count(*) AS jobs
}
CALL () {
  MATCH (t:CuriosityTrigger)
  WHERE any(piece IN $pieces WHERE t.question CONTAINS piece OR any(asked IN t.questions WHERE asked CONTAINS piece))
  OPTIONAL MATCH (finding:Evidence)-[:DERIVED_FROM]->(t)
  OPTIONAL MATCH (finding)-[:HAS_PROVENANCE]->(proof:Provenance)
  WITH t, collect(finding) + collect(proof) AS found
  FOREACH (node IN found | DETACH DELETE node)
  DETACH DELETE t
  RETURN count(*) AS questions
}
RETURN answers, jobs, questions

// knowledge/erasable_texts, what some nodes ([label, id]) say, so that it can be looked for elsewhere
// mode:       read
// returns:    many
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    text
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
UNWIND [n.content, n.text, n.summary, n.description] AS text
WITH DISTINCT text
WHERE text IS NOT NULL
RETURN text
ORDER BY text
LIMIT 100000

// knowledge/runs_holding, recorded runs that read one of some scopes and hold one of some pieces of text (as JSON writes them); null:
//                         all that read one
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $pieces LIST<STRING>
// columns:    id
CYPHER 25 MATCH (run:Run)
WHERE (run.scope IN $scopes OR any(scope IN run.scopes WHERE scope IN $scopes))
  AND ($pieces IS NULL OR any(piece IN $pieces WHERE run.query CONTAINS piece OR run.request CONTAINS piece OR run.seeds CONTAINS piece
           OR run.digest CONTAINS piece)
       OR EXISTS {
         MATCH (run)-[:HAS_STEP]->(step:RunStep)
         WHERE any(piece IN $pieces WHERE coalesce(step.left_out, '') CONTAINS piece OR coalesce(step.detail, '') CONTAINS piece)
       })
RETURN run.id AS id
ORDER BY id
LIMIT 100000

// knowledge/count_traces, how many kept answers, ended jobs and curiosity's questions hold a piece of text (as JSON writes
//                         it)
// mode:       read
// returns:    one
// parameters: $pieces LIST<STRING>
// columns:    answers, jobs, questions
CYPHER 25 RETURN
  COUNT { MATCH (k:IdempotencyKey) WHERE any(piece IN $pieces WHERE k.response CONTAINS piece) } AS answers,
  COUNT { MATCH (j:Job) WHERE (j.state IN ['succeeded', 'failed', 'cancelled'] OR j.kind STARTS WITH 'load_' AND NOT EXISTS {
      MATCH (lease:JobLease {id: j.resource})
      WHERE lease.job_id = j.id AND lease.expires_at > datetime.realtime()
    })
    AND any(piece IN $pieces WHERE j.parameters CONTAINS piece OR j.cursor CONTAINS piece
            OR coalesce(j.message, '') CONTAINS piece OR coalesce(j.error, '') CONTAINS piece) } AS jobs,
  COUNT { MATCH (t:CuriosityTrigger)
    WHERE any(piece IN $pieces WHERE t.question CONTAINS piece OR any(asked IN t.questions WHERE asked CONTAINS piece)) } AS questions

// knowledge/erase_runs, remove recorded runs that read one of some scopes, with their steps
// mode:       write
// returns:    one
// parameters: $ids LIST<STRING>, $scopes LIST<STRING>
// columns:    runs, steps
CYPHER 25 UNWIND $ids AS id
MATCH (run:Run {id: id})
WHERE run.scope IN $scopes OR any(scope IN run.scopes WHERE scope IN $scopes)
OPTIONAL MATCH (run)-[:HAS_STEP]->(step:RunStep)
WITH run, collect(step) AS steps
WITH run, steps, size(steps) AS count
FOREACH (step IN steps | DETACH DELETE step)
DETACH DELETE run
RETURN count(*) AS runs, coalesce(sum(count), 0) AS steps

// knowledge/redact, take texts out of what was said in some scopes: turns, summaries, themes
// mode:       write
// returns:    one
// parameters: $scopes LIST<STRING>, $texts LIST<STRING>, $mark STRING
// columns:    redacted
CYPHER 25 CALL () {
  MATCH (e:Exchange)
  WHERE e.scope IN $scopes AND any(text IN $texts WHERE e.content CONTAINS text OR e.tool_uses CONTAINS text)
  SET e.content = reduce(left = e.content, text IN $texts | replace(left, text, $mark)),
      e.tool_uses = CASE WHEN any(text IN $texts WHERE e.tool_uses CONTAINS text) THEN '[]' ELSE e.tool_uses END
  RETURN count(e) AS turns
}
CALL () {
  MATCH (s:Session)
  WHERE s.scope IN $scopes AND any(text IN $texts WHERE coalesce(s.summary, '') CONTAINS text
    OR any(theme IN coalesce(s.themes, []) WHERE theme CONTAINS text))
  SET s.summary = reduce(left = s.summary, text IN $texts | replace(left, text, $mark)),
      s.themes = [theme IN coalesce(s.themes, []) WHERE NOT any(text IN $texts WHERE theme CONTAINS text)],
      s.version = s.version + 1
  RETURN count(s) AS sessions
}
RETURN turns + sessions AS redacted

// knowledge/holders, nodes of one label in some scopes that hold one of some texts in a property of their own
// mode:       read
// returns:    many
// parameters: $label STRING, $scopes LIST<STRING>, $texts LIST<STRING>, $ids LIST<STRING>
// columns:    id
CYPHER 25 MATCH (n:$($label))
WHERE n.scope IN $scopes AND NOT n.id IN $ids
  AND any(key IN keys(n) WHERE n[key] IS :: STRING AND any(text IN $texts WHERE n[key] CONTAINS text))
RETURN n.id AS id
ORDER BY id
LIMIT 10000

// knowledge/count_vectors, how many embeddings some nodes ([label, id]) have
// mode:       read
// returns:    one
// parameters: $nodes LIST<LIST<STRING>>, $scopes LIST<STRING>
// columns:    vectors
CYPHER 25 UNWIND $nodes AS node
MATCH (n:$(node[0]) {id: node[1]})
WHERE n.scope IN $scopes
RETURN coalesce(sum(size([key IN keys(n) WHERE key ENDS WITH 'embedding'])), 0) AS vectors

// knowledge/erase_noted, remove what other scopes noted, while reasoning, of some scopes' nodes alone: ThoughtSeeds,
//                        triggers and their findings, the patterns of such seeds, and evidence that was read there
// mode:       write
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    label, erased, vectors
CYPHER 25 CALL () {
  MATCH (x:ThoughtSeed|CuriosityTrigger)
  WHERE NOT x.scope IN $scopes AND any(scope IN x.scopes WHERE scope IN $scopes)
    AND NOT EXISTS {
      MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: x.concept_id})
      WHERE NOT n.scope IN $scopes
    }
  OPTIONAL MATCH (pattern:EmergentPattern)-[:GENERATED_BY]->(x)
  OPTIONAL MATCH (finding:Evidence)-[:DERIVED_FROM]->(x)
  OPTIONAL MATCH (finding)-[:HAS_PROVENANCE]->(proof:Provenance)
  UNWIND [x, pattern, finding, proof] AS node
  RETURN node
  UNION
  MATCH (x:Evidence)
  WHERE NOT x.scope IN $scopes AND x.read_from IN $scopes
  OPTIONAL MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)
  UNWIND [x, p] AS node
  RETURN node
}
WITH DISTINCT node WHERE node IS NOT NULL
WITH node, labels(node)[0] AS label, size([key IN keys(node) WHERE key ENDS WITH 'embedding']) AS vectors
DETACH DELETE node
RETURN label, count(*) AS erased, sum(vectors) AS vectors
ORDER BY label

// knowledge/count_noted, how much other scopes noted, while reasoning, of some scopes' nodes alone: what `erase_noted` takes
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    label, erased, vectors
CYPHER 25 CALL () {
  MATCH (x:ThoughtSeed|CuriosityTrigger)
  WHERE NOT x.scope IN $scopes AND any(scope IN x.scopes WHERE scope IN $scopes)
    AND NOT EXISTS {
      MATCH (n:Entity|Passage|Document|Belief|Memory|MemoryCluster|Experience|Value|ValueCluster|Insight {id: x.concept_id})
      WHERE NOT n.scope IN $scopes
    }
  OPTIONAL MATCH (pattern:EmergentPattern)-[:GENERATED_BY]->(x)
  OPTIONAL MATCH (finding:Evidence)-[:DERIVED_FROM]->(x)
  OPTIONAL MATCH (finding)-[:HAS_PROVENANCE]->(proof:Provenance)
  UNWIND [x, pattern, finding, proof] AS node
  RETURN node
  UNION
  MATCH (x:Evidence)
  WHERE NOT x.scope IN $scopes AND x.read_from IN $scopes
  OPTIONAL MATCH (x)-[:HAS_PROVENANCE]->(p:Provenance)
  UNWIND [x, p] AS node
  RETURN node
}
WITH DISTINCT node WHERE node IS NOT NULL
RETURN labels(node)[0] AS label, count(*) AS erased,
  sum(size([key IN keys(node) WHERE key ENDS WITH 'embedding'])) AS vectors
ORDER BY label

// knowledge/runs_of_scope, recorded runs, of whatever scope, that read a scope
// mode:       read
// returns:    many
// parameters: $scope STRING, $limit INTEGER
// columns:    id
CYPHER 25 MATCH (run:Run)
WHERE run.scope <> $scope AND $scope IN run.scopes
RETURN run.id AS id
ORDER BY id
LIMIT $limit

// knowledge/count_scope, how many nodes, vectors and relationships a scope has under one label
// mode:       read
// returns:    one
// parameters: $label STRING, $scope STRING, $kept LIST<STRING>
// columns:    nodes, vectors, relationships
CYPHER 25 MATCH (n:$($label))
WHERE n.scope = $scope AND NOT any(label IN labels(n) WHERE label IN $kept)
RETURN count(n) AS nodes, coalesce(sum(size([key IN keys(n) WHERE key ENDS WITH 'embedding'])), 0) AS vectors,
  coalesce(sum(COUNT { (n)-->() }), 0) AS relationships

// knowledge/count_relations, how many relationships a scope has that start at other scopes' entities
// mode:       read
// returns:    one
// parameters: $scope STRING
// columns:    relationships
CYPHER 25 MATCH (t:RelationshipType)
WHERE t.scope = $scope
RETURN coalesce(sum(COUNT { MATCH (a)-[r:$(t.name)]->() WHERE r.scope = $scope AND a.scope <> $scope }), 0)
  AS relationships

// knowledge/cut_relations, remove a scope's relationships that start or end at other scopes' entities, a slice at a time;
//                          the types that the scope has used tell where to look
// mode:       write
// returns:    one
// parameters: $scope STRING, $limit INTEGER
// columns:    erased
CYPHER 25 MATCH (t:RelationshipType)
WHERE t.scope = $scope
CALL (t) {
  MATCH (a)-[r:$(t.name)]->(b)
  WHERE r.scope = $scope AND (a.scope <> $scope OR b.scope <> $scope)
  RETURN a, r, b
  LIMIT $limit
}
WITH a, r, b
LIMIT $limit
SET a.degree = a.degree - 1, b.degree = b.degree - CASE WHEN a = b THEN 0 ELSE 1 END
DELETE r
RETURN count(*) AS erased

// knowledge/cut_scope, remove relationships of a scope's nodes of one label, a slice at a time: a hub does not fit one
//                      transaction
// mode:       write
// returns:    one
// parameters: $label STRING, $scope STRING, $kept LIST<STRING>, $limit INTEGER
// columns:    erased
CYPHER 25 MATCH (n:$($label))-[r]-()
WHERE n.scope = $scope AND NOT any(label IN labels(n) WHERE label IN $kept)
WITH DISTINCT r LIMIT $limit
WITH r, [m IN [startNode(r), endNode(r)] WHERE m.scope <> $scope AND m.degree IS NOT NULL
  AND type(r) IN ['ABOUT', 'MENTIONS', 'HAS_PASSAGE', 'MEMBER_OF', 'DERIVED_FROM']] AS ends
FOREACH (m IN ends | SET m.degree = m.degree - 1)
DELETE r
RETURN count(*) AS erased

// knowledge/erase_scope, remove a scope's nodes of one label, a slice at a time
// mode:       write
// returns:    one
// parameters: $label STRING, $scope STRING, $kept LIST<STRING>, $limit INTEGER
// columns:    erased, vectors
CYPHER 25 MATCH (n:$($label))
WHERE n.scope = $scope AND NOT any(label IN labels(n) WHERE label IN $kept)
WITH n LIMIT $limit
WITH n, size([key IN keys(n) WHERE key ENDS WITH 'embedding']) AS vectors
DETACH DELETE n
RETURN count(*) AS erased, coalesce(sum(vectors), 0) AS vectors
