// sessions/end, close an active session; no row when it has been closed, or is of another version than was seen
// mode:       write
// returns:    maybe
// parameters: $id STRING, $scope STRING, $status STRING, $summary STRING, $themes LIST<STRING>, $method STRING,
//             $versions LIST<INTEGER>, $ended_at ZONED DATETIME
// columns:    session
CYPHER 25 MATCH (s:Session {id: $id})
WHERE s.scope = $scope
SET s.version = s.version + 1
WITH s, s.status = 'active' AND ($versions IS NULL OR s.version - 1 IN $versions) AS open
SET s.version = s.version - CASE WHEN open THEN 0 ELSE 1 END
WITH s, open
WHERE open
SET s.status = $status, s.summary = $summary, s.themes = $themes, s.summary_method = $method, s.ended_at = $ended_at
RETURN properties(s) AS session
