// sessions/sessions, sessions newest first; null narrows nothing
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>, $status STRING, $platform STRING, $project STRING, $room STRING, $after STRING, $limit INTEGER
// columns:    session
CYPHER 25 MATCH (s:Session)
WHERE s.scope IN $scopes AND ($status IS NULL OR s.status = $status) AND ($platform IS NULL OR s.platform = $platform)
  AND ($project IS NULL OR s.project_context = $project) AND ($room IS NULL OR s.room_id = $room)
  AND ($after IS NULL OR s.id < $after)
RETURN properties(s) AS session
ORDER BY s.id DESC
LIMIT $limit
