// evaluation/count_links, how many links the ThoughtSeeds of a scope have
// mode:       read
// returns:    one
// parameters: $scope STRING
// columns:    links
CYPHER 25 MATCH (:ThoughtSeed {scope: $scope})-[link:RELATED_THOUGHTSEED]->()
RETURN count(link) AS links
