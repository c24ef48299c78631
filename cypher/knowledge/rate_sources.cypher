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
