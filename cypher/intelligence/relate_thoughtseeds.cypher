// intelligence/relate_thoughtseeds, link seeds of different documents, one relationship for a pair, and name each other's
//                                   document; rows are in the order of their ids, so that linkers never lock each other out
// mode:       write
// returns:    none
// parameters: $rows LIST<MAP>, $scopes LIST<STRING>, $most INTEGER
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (one:ThoughtSeed {id: row.one})
MATCH (other:ThoughtSeed {id: row.other})
WHERE one.scope IN $scopes AND other.scope IN $scopes
MERGE (one)-[link:RELATED_THOUGHTSEED]->(other)
SET link.scope = one.scope, link.recorded_at = coalesce(link.recorded_at, one.recorded_at),
    link.similarity = row.similarity,
    link.temporal_distance_days = abs(duration.inSeconds(one.created_at, other.created_at).seconds) / 86400.0,
    one.linked_documents = CASE
      WHEN other.source_doc IN one.linked_documents OR size(one.linked_documents) >= $most THEN one.linked_documents
      ELSE one.linked_documents + other.source_doc
    END,
    other.linked_documents = CASE
      WHEN one.source_doc IN other.linked_documents OR size(other.linked_documents) >= $most THEN other.linked_documents
      ELSE other.linked_documents + one.source_doc
    END
