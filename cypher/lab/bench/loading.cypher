// evaluation/erase_some, a batch of what a bench loaded into its scope; called until nothing is left
// mode:       write
// returns:    one
// parameters: $scope STRING, $limit INTEGER
// columns:    erased
CYPHER 25 MATCH (n:Entity|RelationshipType|Source|Scope|Job|JobLease|Memory|MemoryCluster|Experience|Value|ValueCluster|ClusteringRun|Counter|Belief|Provenance|Evidence|Tension|AttractorBasin|BasinActivation|ThoughtSeed|EmergentPattern|CuriosityTrigger|WriteConflict {scope: $scope})
WHERE $scope STARTS WITH 'kg:bench-'
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS erased

// evaluation/count_links, how many links the ThoughtSeeds of a scope have
// mode:       read
// returns:    one
// parameters: $scope STRING
// columns:    links
CYPHER 25 MATCH (:ThoughtSeed {scope: $scope})-[link:RELATED_THOUGHTSEED]->()
RETURN count(link) AS links

// evaluation/bare_entities, entities with all that indexes hold of them, and no more: what the store alone takes; a row
//                           is one of graph/merge_entities
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $scope_token STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MERGE (entity:Entity {id: row[1]})
ON CREATE SET entity.scope = $scope, entity.scope_token = $scope_token, entity.canonical_key = row[2],
              entity.name = row[3], entity.name_key = row[4], entity.recorded_at = $recorded_at

// evaluation/bare_triples, relationships between them, without a look at what is there; a row is [head, type, tail, ...]
// mode:       write
// returns:    none
// parameters: $rows LIST<LIST<ANY>>, $scope STRING, $recorded_at ZONED DATETIME
// columns:    none
CYPHER 25 UNWIND $rows AS row
MATCH (head:Entity {id: row[0]})
MATCH (tail:Entity {id: row[2]})
CREATE (head)-[:$(row[1]) {scope: $scope, weight: 1.0, recorded_at: $recorded_at}]->(tail)
