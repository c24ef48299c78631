"""The graph's arithmetic of confidence is that of clause/knowledge/beliefs/confidence.py and of its reference."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from clause.ground import Ground
from clause.knowledge.beliefs.confidence import (
    HALF_LIVES_DAYS,
    PENALTIES,
    StatementOrigin,
    consistency,
    freshness,
    overall,
    stage,
)
from clause.knowledge.beliefs.models import BeliefCreate, ConfidenceGiven, ConfidenceRecord, millis, unpacked
from clause.knowledge.beliefs.rows import dimensions_of, settling
from clause.knowledge.room import Knowledge
from tests import servers
from tests.integration.knowledge.conftest import OWNER, Clock
from tests.reference.source_counts import corroboration, counted

pytestmark = pytest.mark.integration

_GIVE = servers.statement(
    """MATCH (b:Belief {id: $id, scope: $scope})-[:HAS_PROVENANCE]->(first)
    SET b += $belief
    DETACH DELETE first
    WITH b
    CALL (b) {
      UNWIND $statements AS row
      MERGE (s:Source {id: row.source}) SET s.scope = b.scope
      CREATE (b)-[:HAS_PROVENANCE]->(p:Provenance)-[:FROM]->(s)
      SET p += row.properties, p.scope = b.scope
    }
    UNWIND $severities AS severity
    CREATE (o:Belief {id: b.id + severity + toString(rand()), scope: b.scope, status: 'active'})
    CREATE (o)<-[:BETWEEN]-(t:Tension {id: o.id, pair: o.id, scope: b.scope, severity: severity, status: 'detected'})
           -[:BETWEEN]->(b)""",
    parameters="$id STRING, $scope STRING, $belief MAP, $statements LIST<MAP>, $severities LIST<STRING>",
)


async def test_a_settled_belief_has_the_confidence_of_the_pure_functions(
    knowledge: Knowledge, ground: Ground, clock: Clock, user: str
) -> None:
    chance = random.Random(7)
    for case in range(40):
        shares = {name: chance.choice([None, chance.random()]) for name in ConfidenceGiven.model_fields}
        decay = chance.choice([*HALF_LIVES_DAYS])
        made = await knowledge.beliefs.create(
            BeliefCreate(content=f"case {case}", confidence=ConfidenceGiven(**shares), decay=decay), caller=OWNER
        )
        assert made.belief is not None
        origins = [
            StatementOrigin(
                origin=chance.choice("abcdef"),
                session=chance.choice([None, "s1", "s2"]),
                reliability=chance.random(),
                words=frozenset(chance.sample(["news", "bern", "www", "blog"], chance.randint(0, 3))),
                recalled=chance.random() < 0.1,
                author=chance.choice("xyz"),
                sites=frozenset(chance.sample(["one.org", "two.org", "three.org"], chance.choice([0, 0, 1, 2]))),
                derived=chance.random() < 0.1,
            )
            for _ in range(chance.randint(1, 8))
        ]
        severities = chance.choices([*PENALTIES], k=chance.choice([0, 0, 1, 2]))
        statements = [
            {
                "source": f"{user}{case}-{place}",
                "properties": {
                    "id": f"{user}{case}-{place}", "origin": one.origin, "session_id": one.session,
                    "reliability": one.reliability, "words": sorted(one.words), "recalled": one.recalled,
                    "author": one.author, "sites": sorted(one.sites), "derived": one.derived,
                    "recorded_at": clock.at + timedelta(seconds=place),
                },
            }
            for place, one in enumerate(origins)
        ]  # fmt: skip
        await ground.graph.execute(
            _GIVE,
            {
                "id": made.belief.id,
                "scope": user,
                "belief": {},
                "statements": statements,
                "severities": severities or [],
            },
        )
        at = made.belief.confirmed_at + timedelta(days=chance.random() * 400)
        ((row,),) = await ground.graph.write([settling([made.belief.id], [user], at)])
        sources = counted(origins).sources
        combined = corroboration(origins)
        given = shares["corroboration"]
        fresh = 1.0 if shares["temporal_freshness"] is None else shares["temporal_freshness"]
        steady = 1.0 if shares["internal_consistency"] is None else shares["internal_consistency"]
        age_days = (at - made.belief.confirmed_at) / timedelta(days=1)
        expected = {
            "source_reliability": made.belief.confidence.source_reliability,
            "method_quality": made.belief.confidence.method_quality,
            "internal_consistency": steady * consistency(severities),
            "temporal_freshness": fresh * freshness(age_days, HALF_LIVES_DAYS[decay]),
            "corroboration": given if combined is None else max(combined, given or 0.0),
            "domain_applicability": shares["domain_applicability"],
        }
        assert row["overall"] == pytest.approx(overall(expected), abs=1e-7), case
        assert (row["sources"], row["stage"]) == (sources, stage(sources)), case
        found = (await ground.graph.run("knowledge/beliefs", ids=[made.belief.id], scopes=[user]))[0]["belief"]
        stored = {name: found.get(f"c_{name}") for name in expected}
        assert stored == {
            name: None if value is None else pytest.approx(value, abs=1e-7) for name, value in expected.items()
        }
        assert overall(stored) == pytest.approx(found["overall"], abs=1e-9), "the formula itself"
        assert dimensions_of(found, at).overall == pytest.approx(found["overall"], abs=1e-9)
        first, *later = unpacked(found["history"])
        assert first.at == millis(made.belief.recorded_at), case
        last = later[0] if later else first  # a settling that changes nothing keeps no record
        assert last == ConfidenceRecord(
            at=millis(at) if later else first.at,
            **{**stored, "temporal_freshness": fresh},
            confirmed_at=millis(found["confirmed_at"]),
            sources=sources,
            open_tensions=len(severities),
            statements=len(origins),
            ceiling=None,
        )
