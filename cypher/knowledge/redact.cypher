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
