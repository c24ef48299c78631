// intelligence/decay, take off what each idle week costs, never below 1.0; a basin at 1.0 sleeps. Run twice it does once:
//                     the weeks already paid for are remembered in decayed_at
// mode:       write
// returns:    one
// parameters: $ids LIST<LIST<STRING>>, $scopes LIST<STRING>, $now ZONED DATETIME, $rate FLOAT, $least FLOAT
// columns:    decayed, asleep
CYPHER 25 UNWIND $ids AS pair
MATCH (entity:Entity {id: pair[1]})
WHERE entity.scope IN $scopes
SET entity.basin_strength = coalesce(entity.basin_strength, 1.0)
WITH entity, pair
MATCH (b:AttractorBasin {id: pair[0]})
WITH entity, b, coalesce(b.decayed_at, b.last_activated_at, b.recorded_at) AS since
WITH entity, b, since, duration.inSeconds(since, $now).seconds / 604800 AS weeks
WHERE weeks >= 1
SET b.strength = CASE WHEN b.strength - $rate * weeks < $least THEN $least ELSE round(b.strength - $rate * weeks, 12) END
SET b.decayed_at = since + duration({weeks: weeks}),
    b.state = CASE WHEN b.strength <= $least THEN 'DORMANT' ELSE 'DECAYING' END,
    b.version = b.version + 1,
    entity.basin_strength = b.strength
RETURN count(b) AS decayed, sum(CASE WHEN b.state = 'DORMANT' THEN 1 ELSE 0 END) AS asleep
