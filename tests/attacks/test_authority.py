"""Authority as an attacker raises it: what was derived from gossip, said again by whoever spoke upstream of it."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest

from clause.errors import ClauseError, ForbiddenError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.confidence import STARTS
from clause.knowledge.beliefs.models import (
    Belief,
    BeliefCreate,
    BeliefSupersede,
    ConfidenceGiven,
    Corroboration,
    SourceGiven,
)
from clause.knowledge.entity_models import SourceCreate, TrustGiven
from clause.knowledge.lineage.models import MergeRequest, RetractionRequest
from clause.knowledge.room import Knowledge
from clause.knowledge.tension_detection import TensionResolve
from clause.sessions.models import InsightExtract, SessionEnd, SessionStart
from clause.sessions.room import Sessions
from tests.servers import statement

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_model")]

GOSSIP = 0.35
HEARD = "The old mill was sold to a stranger last week"
CONCLUDED = "Bob Stone rides his bike to the office in Bern every morning"
AGAIN = "Bob Stone rides his bicycle to the office in Bern every morning"
FULL = ConfidenceGiven(**dict.fromkeys(ConfidenceGiven.model_fields, 1.0))


class Stage:
    """A gossip belief of one key, what another key derived from it, and the ways to speak."""

    def __init__(self, knowledge: Knowledge, scope: str) -> None:
        self.knowledge = knowledge
        self.scope = scope
        self.sessions = Sessions.open(knowledge.ground, knowledge)

    def key(self, name: str) -> Caller:
        """The caller of a key that may write here."""
        return Caller((self.scope,), (self.scope,), key_id=name)

    async def say(self, content: str, by: str = "ann", **more: Any) -> Belief:
        made = await self.knowledge.beliefs.create(BeliefCreate(content=content, **more), caller=self.key(by))
        assert made.belief is not None
        return made.belief

    async def support(self, belief: Belief, by: str = "ann", **more: Any) -> Belief:
        """Say a belief once more, by its id."""
        made = await self.knowledge.beliefs.corroborate(belief.id, Corroboration(**more), caller=self.key(by))
        assert made.belief is not None
        return made.belief

    async def session(self, by: str = "ann") -> str:
        started = await self.sessions.sessions.start(SessionStart(), caller=self.key(by))
        return started.session.id

    async def gossip(self) -> Belief:
        return await self.say(HEARD, signal="mention")

    async def derived(self, by: str = "ann") -> Belief:
        return await self.say(CONCLUDED, by, derived_from=((await self.gossip()).id,))

    async def highest(self) -> float:
        """The highest confidence of anything held here; the audit agrees that all is sound."""
        found = await self.knowledge.authority.audit(caller=self.key("ann"), scopes=[self.scope])
        assert found.sound, found.violations
        held = await self.knowledge.beliefs.list(_all(), caller=self.key("ann"))
        return max(belief.confidence.overall for belief in held)


def _all() -> Any:
    from clause.knowledge.beliefs.query_models import BeliefFilter

    return BeliefFilter(limit=101)


@pytest.fixture
def stage(knowledge: Knowledge, user: str) -> Stage:
    return Stage(knowledge, user)


def page(place: int) -> SourceGiven:
    return SourceGiven(kind="document", title=f"page {place}", uri=f"https://site-{place}.com/{place}")


Attack = Callable[[Stage], Awaitable[object]]
ATTACKS: dict[str, Attack] = {}


def attack(run: Attack) -> Attack:
    ATTACKS[run.__name__.removeprefix("_").replace("_", " ")] = run
    return run


@attack
async def _its_own_source_says_it_again(stage: Stage) -> None:
    await stage.derived()
    for _ in range(3):
        await stage.say(CONCLUDED)


@attack
async def _said_again_in_sessions_of_its_own(stage: Stage) -> None:
    await stage.derived()
    for _ in range(3):
        await stage.say(CONCLUDED, session_id=await stage.session())


@attack
async def _said_again_under_other_titles(stage: Stage) -> None:
    await stage.derived()
    for title in ("Diary", "Ledger", "Letters", "Chronicle"):
        await stage.say(CONCLUDED, source=SourceGiven(kind="document", title=title))


@attack
async def _said_again_with_pages_that_one_author_names(stage: Stage) -> None:
    await stage.derived()
    for place in range(4):
        await stage.say(CONCLUDED, source=page(place))


@attack
async def _corroborated_by_its_id(stage: Stage) -> None:
    belief = await stage.derived()
    for place, kind in enumerate(("document", "api", "observation", "conversation")):
        await stage.support(belief, source=SourceGiven(kind=kind, title=f"t{place}"))
        await stage.support(belief, source=page(place))


@attack
async def _derived_by_one_and_said_by_the_gossip_itself(stage: Stage) -> None:
    belief = await stage.derived(by="bob")
    await stage.support(belief, by="ann")
    await stage.support(belief, by="ann", source=page(1))


@attack
async def _the_page_that_gossiped_is_quoted_by_others(stage: Stage) -> None:
    heard = await stage.say(HEARD, signal="mention", source=page(1))
    belief = await stage.say(CONCLUDED, "bob", derived_from=(heard.id,))
    other = SourceGiven(kind="document", title="quite another", uri="http://www.site-1.com:80/else?x=1#y")
    await stage.support(belief, by="cid", source=other)


@attack
async def _a_paraphrase_that_names_it_as_its_origin(stage: Stage) -> None:
    first = await stage.say(CONCLUDED, signal="mention")
    for by in ("ann", "bob", "cid"):
        await stage.say(AGAIN, by, derived_from=(first.id,), source=page(7))


@attack
async def _a_paraphrase_derived_from_a_child_of_it(stage: Stage) -> None:
    heard = await stage.gossip()
    belief = await stage.say(CONCLUDED, "bob", derived_from=(heard.id,))
    await stage.say(HEARD, "cid", derived_from=(belief.id,))
    await stage.say(HEARD, "dan", derived_from=(belief.id,))


@attack
async def _a_chain_of_twelve(stage: Stage) -> None:
    last = await stage.gossip()
    for word in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"):
        last = await stage.say(f"Rumour {word} about the {word} houses", f"key-{word}", derived_from=(last.id,))
    await stage.support(last, by="ann", source=page(3))


@attack
async def _all_dimensions_given(stage: Stage) -> None:
    await stage.say(HEARD, signal="mention", confidence=FULL)
    await stage.say(CONCLUDED, signal="mention", confidence=FULL.model_copy(update={"corroboration": None}))


@attack
async def _low_dimensions_that_lift_the_others(stage: Stage) -> None:
    low = ConfidenceGiven(corroboration=0.001, temporal_freshness=0.001, internal_consistency=0.3)
    belief = await stage.say(HEARD, signal="mention", confidence=low)
    await stage.knowledge.beliefs.supersede(belief.id, BeliefSupersede(content=AGAIN), caller=stage.key("ann"))


@attack
async def _superseded_by_what_inherits_its_confidence(stage: Stage) -> None:
    belief = await stage.derived()
    newer = BeliefSupersede(content="Bob Stone now lives in some other valley")
    await stage.knowledge.beliefs.supersede(belief.id, newer, caller=stage.key("ann"))


@attack
async def _superseded_by_its_paraphrase(stage: Stage) -> None:
    belief = await stage.derived()
    newer = BeliefSupersede(content=AGAIN, signal="explicit_request", confidence=FULL)
    await stage.knowledge.beliefs.supersede(belief.id, newer, caller=stage.key("ann"))


@attack
async def _retracted_and_stated_anew(stage: Stage) -> None:
    belief = await stage.derived()
    for _ in range(2):
        await stage.knowledge.retraction.apply(RetractionRequest(belief_id=belief.id), caller=stage.key("ann"))
        belief = await stage.say(CONCLUDED)


@attack
async def _superseded_and_stated_anew(stage: Stage) -> None:
    belief = await stage.derived()
    newer = BeliefSupersede(content="Nobody knows")
    await stage.knowledge.beliefs.supersede(belief.id, newer, caller=stage.key("ann"))
    await stage.say(CONCLUDED)


@attack
async def _merged_with_its_paraphrase(stage: Stage) -> None:
    belief = await stage.derived()
    other = await stage.say("Bob Stone lives elsewhere", signal="mention")
    given = MergeRequest(winner_id=belief.id, loser_id=other.id)
    await stage.knowledge.merging.merge(given, caller=stage.key("ann"))


@attack
async def _merged_into_another(stage: Stage) -> None:
    belief = await stage.derived(by="bob")
    other = await stage.say("Bob Stone lives elsewhere", signal="mention")
    given = MergeRequest(winner_id=other.id, loser_id=belief.id)
    await stage.knowledge.merging.merge(given, caller=stage.key("ann"))


@attack
async def _many_at_once(stage: Stage) -> None:
    belief = await stage.derived()
    await asyncio.gather(*(stage.support(belief, source=page(place)) for place in range(6)))


@attack
async def _its_letters_are_spelled_otherwise(stage: Stage) -> None:
    await stage.derived()
    for text in (CONCLUDED.upper(), f"  {CONCLUDED.replace(' ', '   ')}  ", f"{CONCLUDED}.", f"{CONCLUDED}!"):
        await stage.say(text)


@attack
async def _its_letters_are_composed_otherwise(stage: Stage) -> None:
    heard = await stage.gossip()
    await stage.say("Zoë drives the café's van to Zürich on Mondays", derived_from=(heard.id,))
    await stage.say(unicodedata.normalize("NFD", "Zoë drives the café's van to Zürich on Mondays"))


@attack
async def _said_again_as_true_since_another_day(stage: Stage) -> None:
    await stage.derived()
    for year in (2001, 2002):
        await stage.say(CONCLUDED, valid_from=datetime(year, 1, 1, tzinfo=UTC))


@attack
async def _said_again_as_lasting_for_ever(stage: Stage) -> None:
    await stage.derived()
    await stage.say(CONCLUDED, decay="forever", signal="explicit_request")


@attack
async def _said_again_by_every_signal(stage: Stage) -> None:
    await stage.derived()
    for signal in STARTS:
        await stage.say(CONCLUDED, signal=signal)


@attack
async def _derived_from_itself(stage: Stage) -> None:
    belief = await stage.derived()
    await stage.say(CONCLUDED, "bob", derived_from=(belief.id,))
    await stage.say(CONCLUDED, "cid", derived_from=(belief.id,))


@attack
async def _derived_from_two_rumours(stage: Stage) -> None:
    first, other = await stage.gossip(), await stage.say("The bakery was closed on Monday", signal="mention")
    await stage.say(CONCLUDED, "bob", derived_from=(first.id, other.id))
    await stage.say(CONCLUDED, "ann")


@attack
async def _derived_from_what_was_taken_back(stage: Stage) -> None:
    heard = await stage.gossip()
    await stage.knowledge.retraction.apply(RetractionRequest(belief_id=heard.id), caller=stage.key("ann"))
    with suppress(ClauseError):
        await stage.say(CONCLUDED, derived_from=(heard.id,))


@attack
async def _derived_from_what_was_superseded(stage: Stage) -> None:
    heard = await stage.gossip()
    newer = BeliefSupersede(content="Somebody else has the mill by now", signal="mention")
    await stage.knowledge.beliefs.supersede(heard.id, newer, caller=stage.key("ann"))
    with suppress(ClauseError):
        await stage.say(CONCLUDED, derived_from=(heard.id,))
        await stage.say(CONCLUDED)


@attack
async def _its_retraction_is_undone(stage: Stage) -> None:
    belief = await stage.derived()
    for _ in range(2):
        done = await stage.knowledge.retraction.apply(RetractionRequest(belief_id=belief.id), caller=stage.key("ann"))
        await stage.knowledge.retraction.undo(done.id, caller=stage.key("ann"))
        await stage.support(belief)


@attack
async def _the_retraction_of_the_gossip_is_undone(stage: Stage) -> None:
    heard = await stage.gossip()
    await stage.say(CONCLUDED, "bob", derived_from=(heard.id,))
    done = await stage.knowledge.retraction.apply(RetractionRequest(belief_id=heard.id), caller=stage.key("ann"))
    await stage.knowledge.retraction.undo(done.id, caller=stage.key("ann"))
    await stage.say(CONCLUDED)


@attack
async def _a_merge_is_undone(stage: Stage) -> None:
    belief = await stage.derived(by="bob")
    other = await stage.say("Bob Stone lives elsewhere", signal="mention")
    given = MergeRequest(winner_id=other.id, loser_id=belief.id)
    done = await stage.knowledge.merging.merge(given, caller=stage.key("ann"))
    await stage.knowledge.merging.unmerge(done.id, caller=stage.key("ann"))
    await stage.say(CONCLUDED)
    await stage.say(CONCLUDED, source=page(2))


@attack
async def _an_insight_of_a_session_says_it(stage: Stage) -> None:
    await stage.derived()
    session = await stage.session()
    with suppress(ClauseError):
        for _ in range(2):
            given = InsightExtract(content=CONCLUDED)
            await stage.sessions.insights.extract(session, given, caller=stage.key("ann"))


@attack
async def _a_session_ends_with_it(stage: Stage) -> None:
    await stage.derived()
    for _ in range(2):
        ended = SessionEnd(summary=CONCLUDED, themes=(CONCLUDED, HEARD))
        await stage.sessions.sessions.end(await stage.session(), ended, caller=stage.key("ann"))


@attack
async def _its_source_is_trusted_by_sources_of_its_own(stage: Stage) -> None:
    belief = await stage.derived()
    knowledge, ann = stage.knowledge, stage.key("ann")
    for title in ("Friend", "Neighbour", "Cousin"):
        friend = await knowledge.sources.create(SourceCreate(title=title, uri=f"https://{title}.com/"), caller=ann)
        trusted = TrustGiven(to_source_id=str(belief.source_id), weight=1.0)
        await knowledge.sources.trust(friend.id, trusted, caller=ann)
    await stage.support(belief)


@attack
async def _marked_as_recalled_or_as_another_text(stage: Stage) -> None:
    belief = await stage.derived()
    await stage.support(belief, "bob", recalled=True)
    await stage.support(belief, content=AGAIN)


@attack
async def _copies_that_name_what_they_copy_from(stage: Stage) -> None:
    heard = await stage.say(HEARD, signal="mention", source=SourceGiven(title="The Wire", upstream="Agency"))
    belief = await stage.say(CONCLUDED, "bob", derived_from=(heard.id,))
    for by in ("cid", "dan"):
        await stage.support(belief, by, source=SourceGiven(title=f"Paper of {by}", upstream=" AGENCY "))


@attack
async def _confirmed_by_an_agent(stage: Stage) -> None:
    belief = await stage.derived()
    with pytest.raises(ForbiddenError):
        await stage.knowledge.beliefs.confirm(belief.id, caller=stage.key("ann"))


@attack
async def _its_denial_is_settled_in_its_favour(stage: Stage) -> None:
    belief = await stage.derived()
    await stage.say("Bob Stone never rides his bike to the office in Bern", signal="mention")
    held = await stage.knowledge.beliefs.get(belief.id, caller=stage.key("ann"))
    for tension in held.tensions:
        for action in ("keep_both", "supersede_a", "supersede_b"):
            with suppress(ClauseError):
                await stage.knowledge.tensions.resolve(
                    tension.id, TensionResolve(action=action), caller=stage.key("ann")
                )


@pytest.mark.parametrize("name", ATTACKS)
async def test_nobody_upstream_raises_what_was_derived_from_gossip(stage: Stage, name: str) -> None:
    await ATTACKS[name](stage)
    assert await stage.highest() <= GOSSIP + 1e-6


async def test_an_invented_session_is_refused(stage: Stage) -> None:
    belief = await stage.derived()
    for said in (stage.say(CONCLUDED, session_id="s1"), stage.support(belief, session_id="s1")):
        with pytest.raises(ClauseError, match="no session"):
            await said


async def test_somebody_who_is_not_upstream_frees_it_until_found_to_be(stage: Stage) -> None:
    belief = await stage.derived(by="bob")
    freed = await stage.support(belief, by="cid")
    assert freed.confidence.overall > 0.8
    assert freed.sources == 2
    audit = await stage.knowledge.authority.audit(caller=stage.key("ann"))
    assert audit.sound
    both = await stage.say(HEARD, by="cid")
    bound = await stage.knowledge.beliefs.get(belief.id, caller=stage.key("ann"))
    assert bound.confidence.overall <= both.confidence.overall + 1e-6 < 0.5


async def test_what_is_derived_follows_its_lineage_through_generations(stage: Stage) -> None:
    heard = await stage.say(HEARD, by="dan", signal="decision")
    child = await stage.say(CONCLUDED, "bob", derived_from=(heard.id,))
    both = await stage.say("The valley is empty now", "eve", derived_from=(heard.id, child.id))
    await stage.say("The old mill was not sold to a stranger last week", "fay")
    found = [await stage.knowledge.beliefs.get(one.id, caller=stage.key("ann")) for one in (heard, child, both)]
    assert found[0].confidence.overall < 0.8
    assert found[0].confidence.overall >= found[1].confidence.overall - 1e-6 >= found[2].confidence.overall - 2e-6
    assert (await stage.knowledge.authority.audit(caller=stage.key("ann"))).sound


PLANT = statement("MATCH (b:Belief {id: $id}) SET b += $planted", parameters="$id STRING, $planted MAP")
UNMARK = statement(
    "MATCH (p:Provenance {scope: $scope}) REMOVE p.author, p.sites, p.derived", parameters="$scope STRING"
)


@pytest.mark.parametrize(
    ("planted", "reason"),
    [
        ({"overall": 0.88}, "lineage"),
        ({"overall": 0.88, "sources": 2}, "lineage"),
        ({"sources": 9}, "sources"),
    ],
)
async def test_the_audit_finds_what_was_raised(
    stage: Stage, graph: Graph, planted: dict[str, Any], reason: str
) -> None:
    belief = await stage.derived()
    for place in range(2):
        await stage.support(belief, source=page(place))
    assert (await stage.knowledge.authority.audit(caller=stage.key("ann"))).sound
    await graph.execute(PLANT, {"id": belief.id, "planted": planted})
    audit = await stage.knowledge.authority.audit(caller=stage.key("ann"))
    assert reason in {one.reason for one in audit.violations if one.id == belief.id}


async def test_the_audit_finds_what_an_older_version_raised(stage: Stage, graph: Graph) -> None:
    belief = await stage.derived()
    await stage.support(belief, source=SourceGiven(kind="document", title="else"))
    await graph.execute(UNMARK, {"scope": stage.scope})
    await graph.execute(PLANT, {"id": belief.id, "planted": {"overall": 0.88, "sources": 2, "ceiling": None}})
    alone = await stage.say("Rain is due", signal="mention")
    await graph.execute(PLANT, {"id": alone.id, "planted": {"overall": 1.0}})
    audit = await stage.knowledge.authority.audit(caller=stage.key("ann"))
    assert {(one.id, one.reason) for one in audit.violations} >= {(belief.id, "lineage"), (alone.id, "signal")}


LATTICE = statement(
    "MATCH (root:Belief {id: $id}) "
    "UNWIND range(1, 20) AS level UNWIND range(1, 3) AS place "
    "CREATE (b:Belief {id: $id + '-' + toString(100 + level) + '-' + toString(place)}) "
    "SET b.scope = root.scope, b.level = level, b.depth = level, b.status = 'active', b.overall = 0.9, b.version = 1, "
    "b.c_source_reliability = 0.9, b.c_method_quality = 0.9, b.decay = 'year', b.signal = 'decision', "
    "b.confirmed_at = root.confirmed_at "
    "WITH root, collect(b) AS made UNWIND made AS child "
    "UNWIND CASE child.level WHEN 1 THEN [root] ELSE [one IN made WHERE one.level = child.level - 1] END AS parent "
    "CREATE (child)-[:DERIVED_FROM {scope: child.scope}]->(parent)",
    parameters="$id STRING",
)
TOPS = statement(
    "MATCH (b:Belief) WHERE b.id STARTS WITH $id + '-' RETURN max(b.overall) AS most, count(*) AS beliefs",
    mode="read",
    parameters="$id STRING",
    columns="most, beliefs",
)


async def test_three_billion_ways_through_a_lineage_are_walked_as_sixty_beliefs(stage: Stage, graph: Graph) -> None:
    heard = await stage.gossip()
    await graph.execute(LATTICE, {"id": heard.id})
    await stage.support(heard)
    (found,) = await graph.execute(TOPS, {"id": heard.id})
    assert found["beliefs"] == 60
    assert found["most"] <= GOSSIP + 1e-6
    assert (await stage.knowledge.authority.audit(caller=stage.key("ann"))).sound
