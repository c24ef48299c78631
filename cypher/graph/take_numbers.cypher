// graph/take_numbers, take the next numbers of a counter; the last of them is returned
// mode:       write
// returns:    one
// parameters: $scope STRING, $name STRING, $count INTEGER, $recorded_at ZONED DATETIME
// columns:    last
CYPHER 25 MERGE (c:Counter {id: $scope + '/' + $name})
ON CREATE SET c.scope = $scope, c.recorded_at = $recorded_at, c.value = 0
SET c.value = c.value + $count
RETURN c.value AS last
