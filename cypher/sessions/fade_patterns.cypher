// sessions/fade_patterns, patterns not seen for long fade; those not seen for very long are put away
// mode:       write
// returns:    one
// parameters: $scope STRING, $fading_before ZONED DATETIME, $archived_before ZONED DATETIME, $now ZONED DATETIME
// columns:    faded, archived
CYPHER 25 CALL () {
  MATCH (p:Pattern)
  WHERE p.scope = $scope AND p.status IN ['emerging', 'established', 'fading'] AND p.last_seen <= $archived_before
  SET p.status = 'archived', p.archived_at = $now, p.version = p.version + 1
  RETURN count(p) AS archived
}
CALL () {
  MATCH (p:Pattern)
  WHERE p.scope = $scope AND p.status IN ['emerging', 'established'] AND p.last_seen <= $fading_before
    AND p.last_seen > $archived_before
  SET p.status = 'fading', p.version = p.version + 1
  RETURN count(p) AS faded
}
RETURN faded, archived
