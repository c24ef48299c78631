// values/search_strategy, resolved experiences near a vector on this axis; a range from '' to the last character narrows nothing
// mode:       read
// returns:    many
// parameters: $embedding VECTOR, $scopes LIST<STRING>, $domain_from STRING, $domain_to STRING, $strategy_from STRING,
//             $strategy_to STRING, $outcome_from STRING, $outcome_to STRING, $limit INTEGER
// columns:    entry, entities, similarity
CYPHER 25 MATCH (n:Experience)
SEARCH n IN (VECTOR INDEX experience_strategy FOR $embedding
  WHERE n.scope IN $scopes AND n.domain >= $domain_from AND n.domain <= $domain_to
    AND n.strategy >= $strategy_from AND n.strategy <= $strategy_to
    AND n.outcome >= $outcome_from AND n.outcome <= $outcome_to
  LIMIT $limit) SCORE AS score
WITH n, 2 * score - 1 AS similarity
WHERE n.retracted_at IS NULL
RETURN n {.*, embedding: NULL, strategy_embedding: NULL, surprise_embedding: NULL, root_cause_embedding: NULL} AS entry, COLLECT {
  MATCH (n)-[:ABOUT]->(e:Entity) RETURN e {.id, .name, .kind} ORDER BY e.id LIMIT 24
} AS entities, similarity
ORDER BY similarity DESC, entry.id
