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
