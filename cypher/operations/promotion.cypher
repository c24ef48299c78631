// policy/promoted, a checkpoint that passed the gate, with what the gate measured
// mode:       write
// returns:    none
// parameters: $id STRING, $scope STRING, $sha256 STRING, $metrics STRING, $now ZONED DATETIME
// columns:    none
CYPHER 25 MERGE (policy:Policy {id: $id})
ON CREATE SET policy.scope = $scope, policy.name = $id, policy.recorded_at = $now
SET policy.sha256 = $sha256, policy.metrics = $metrics, policy.promoted_at = $now

// policy/use, a policy decides in a scope from now on; those of before are kept for a rollback, '' for the default. The
//             first SET locks the scope, so that of two at once each sees what the other left
// mode:       write
// returns:    one
// parameters: $scope STRING, $policy STRING, $author STRING, $now ZONED DATETIME, $kept INTEGER
// columns:    scope, policy, before, chosen_at, chosen_by
CYPHER 25 MERGE (s:Scope {id: $scope})
ON CREATE SET s.recorded_at = $now
SET s.policy_changes = coalesce(s.policy_changes, 0) + 1
WITH s, coalesce(s.policy, '') AS now, coalesce(s.policies_before, []) AS before
SET s.policy = $policy, s.policy_chosen_at = $now, s.policy_chosen_by = $author,
  s.policies_before = CASE WHEN now = $policy THEN before ELSE (before + [now])[-$kept..] END
RETURN s.id AS scope, s.policy AS policy, s.policies_before AS before, s.policy_chosen_at AS chosen_at,
  s.policy_chosen_by AS chosen_by

// policy/rollback, the policy of before decides in a scope again; no row where none is kept
// mode:       write
// returns:    maybe
// parameters: $scope STRING, $author STRING, $now ZONED DATETIME
// columns:    scope, policy, before, chosen_at, chosen_by
CYPHER 25 MATCH (s:Scope {id: $scope})
SET s.policy_changes = coalesce(s.policy_changes, 0) + 1
WITH s, coalesce(s.policies_before, []) AS before
WHERE size(before) > 0
SET s.policy = CASE last(before) WHEN '' THEN NULL ELSE last(before) END, s.policies_before = before[..-1],
  s.policy_chosen_at = $now, s.policy_chosen_by = $author
RETURN s.id AS scope, s.policy AS policy, s.policies_before AS before, s.policy_chosen_at AS chosen_at,
  s.policy_chosen_by AS chosen_by

// policy/choices, the scopes that chose who decides, or did so before
// mode:       read
// returns:    many
// parameters: $scopes LIST<STRING>
// columns:    scope, policy, before, chosen_at, chosen_by
CYPHER 25 MATCH (s:Scope)
WHERE s.id IN $scopes AND s.policy_chosen_at IS NOT NULL
RETURN s.id AS scope, s.policy AS policy, s.policies_before AS before, s.policy_chosen_at AS chosen_at,
  s.policy_chosen_by AS chosen_by
ORDER BY scope
LIMIT 10000
