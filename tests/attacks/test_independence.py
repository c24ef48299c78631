"""Independence as an attacker feigns it: pages, spellings, names, recalled texts, helpers, supersession."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clause.errors import ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.confidence import StatementOrigin, independences
from clause.knowledge.beliefs.models import BeliefSupersede, Corroboration, SourcedStatement, SourceGiven
from clause.knowledge.beliefs.origins import address, new_source, provenance, site
from clause.knowledge.beliefs.query_models import BeliefQuery
from clause.knowledge.beliefs.rows import origin_of
from clause.knowledge.lineage.models import MergeRequest, RetractionRequest
from clause.knowledge.room import Knowledge
from tests.attacks.test_authority import CONCLUDED, HEARD, Stage, page, stage
from tests.reference.source_counts import counted

__all__ = ["stage"]
AT = datetime(2026, 1, 1, tzinfo=UTC)
SPELLINGS = (
    "https://example.com/news",
    "http://example.com/news",
    "HTTPS://EXAMPLE.com/news",
    "https://www.example.com/news/",
    "https://example.com:443/news#top",
    "https://user:word@example.com/./a/../news",
    "https://example.com./n%65ws",
    "example.com/news",
    "https://ex%61mple.com/news",
    "https://ｅxample.com/news",
    "https://example。com/news",
    "https://exam\u00adple.com/news",
    "https://example.com/news?",
    "https://example.com:0443/news",
    "https://example.com/x/../news",
    "https://EXAMPLE.com.:443/%6Eews/",
    " https://example.com/news\t",
    "https://ann:secret@www.example.com/news#a#b",
)
NOBODYS = (
    "http://127.0.0.1/a",
    "http://[::1]/a",
    "http://2130706433/a",
    "http://printer/a",
    "http://a.invalid/",
    "shelf 7",
    "http://0x7f.1/a",
    "http://017700000001/a",
    "http://[::ffff:10.0.0.1]/a",
    "https://a.local/",
    "https://a.test/",
    "https://com/",
    "https://co.uk/",
    "https:///a",
    "https://",
    "ftp://example.com/a",
    "javascript:alert(1)",
    "data:text/plain,x",
    "file://example.com/a",
    "urn:isbn:9783161484100",
)
TWINS = (
    ("https://bücher.de/a", "https://xn--bcher-kva.de/b"),
    ("https://BÜCHER.de/a", "https://bücher.de/b"),
    ("https://news.bbc.co.uk/a", "http://www.bbc.co.uk/b"),
    ("https://a.example.com:8443/", "https://b.example.com/"),
    ("https://example.com/?u=https://else.com", "https://m.example.com/"),
    ("https://ann.github.io/a", "https://ann.github.io/b"),
    ("https://example.com\\@else.com/", "https://example.com/"),
)


def said(author: str, **source: str) -> StatementOrigin:
    """What is counted of a statement by this author with this source."""
    given_ = SourcedStatement(source=SourceGiven(**source) if source else None)
    of = new_source(given_, "user:ann", AT, author=author)
    return origin_of(provenance(given_, of, "p", scope="user:ann", at=AT, author=author))


@pytest.mark.parametrize("uri", SPELLINGS)
def test_spellings_of_one_address_are_one_address(uri: str) -> None:
    assert address(uri) == "https://example.com/news"
    assert address(address(uri)) == address(uri)
    first, other = (said(author, kind="document", uri=one) for author, one in (("a", SPELLINGS[0]), ("b", uri)))
    assert first.origin == other.origin
    assert independences([first, other]) == [1.0, 0.0]


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_two_addresses_of_one_host_are_one_source(one: str, other: str) -> None:
    assert site(one) is not None
    assert site(one) == site(other)
    assert counted([said("a", uri=one), said("b", uri=other)]).sources == 1


@given(st.text(max_size=60))
def test_no_address_breaks_and_one_spelling_stays_as_it_is(uri: str) -> None:
    assert address(address(uri)) == address(uri)
    assert site(uri) == site(address(uri))


@pytest.mark.parametrize("host", ["example.com", "www.example.com", "blog.example.com", "a.b.example.com"])
def test_pages_of_one_host_and_its_subdomains_are_one_source(host: str) -> None:
    pages = [said(str(place), title=f"t{place}", uri=f"https://{host}/{place}") for place in range(20)]
    assert counted([said("first", uri="https://example.com/"), *pages]).sources == 1


@pytest.mark.parametrize("uri", NOBODYS)
def test_an_address_that_anyone_may_write_down_is_the_word_of_its_author(uri: str) -> None:
    assert site(uri) is None
    assert counted([said("ann"), said("ann", uri=uri), said("ann", title=uri)]).sources == 1


@pytest.mark.parametrize("kind", ["document", "conversation", "inference", "observation", "api", "user_input"])
def test_one_author_under_many_names_is_one_source(kind: str) -> None:
    puppets = [said("ann", kind=kind, title=f"name{place}") for place in range(50)]
    assert counted([said("ann"), *puppets]).sources == 1


def test_copies_of_one_upstream_are_one_source_whoever_brings_them() -> None:
    wire = [
        said(str(place), title=f"paper {place}", upstream=name) for place, name in enumerate(("Wire", " wire", "WIRE"))
    ]
    assert counted(wire).sources == 1
    linked = [said("a", uri="https://example.com/1"), said("b", title="copy", upstream="http://www.example.com/2")]
    assert counted(linked).sources == 1


def test_sites_that_one_author_names_count_as_the_prior_says() -> None:
    sites = [said("ann"), *(said("ann", uri=f"https://site-{place}.com/") for place in range(7))]
    assert [counted(sites[:size]).sources for size in range(1, 9)] == [1, 1, 2, 2, 3, 3, 3, 4]
    assert counted([said("ann"), said("bob")]).sources == 2


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=1, max_size=8))
def test_the_same_statements_again_add_nothing(found: list[tuple[str, int]]) -> None:
    statements = [said(author, uri=f"https://site-{place}.com/") for author, place in found]
    again = [*statements, *statements]
    assert counted(again).sources == counted(statements).sources
    assert counted(again).freed == counted(statements).freed


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-1, 3)), min_size=1, max_size=8))
def test_nobody_upstream_frees_anything(found: list[tuple[str, int]]) -> None:
    statements = [
        said(author, **({"uri": f"https://site-{place}.com/"} if place >= 0 else {})) for author, place in found
    ]
    upstream = {mark for one in statements for mark in one.authors}
    assert not counted(statements, upstream).freed
    assert counted(statements, upstream).sources == 1


@pytest.mark.integration
@pytest.mark.usefixtures("no_model")
async def test_what_was_recalled_outside_a_session_and_restated_is_an_echo(stage: Stage) -> None:
    belief = await stage.say(HEARD)
    await stage.knowledge.beliefs.query(BeliefQuery(query=HEARD), caller=stage.key("ann"))
    for place in range(5):
        await stage.say(HEARD, source=page(place))
        await stage.support(belief, source=page(place))
    after = await stage.knowledge.beliefs.get(belief.id, caller=stage.key("ann"))
    assert (after.sources, after.statements, after.stage) == (1, 1, "tentative")
    assert (await stage.support(belief, by="bob")).sources == 2


@pytest.mark.integration
@pytest.mark.usefixtures("no_model")
async def test_many_sessions_do_not_push_out_the_memory_of_a_recall(stage: Stage) -> None:
    belief = await stage.say(HEARD)
    await stage.knowledge.beliefs.query(BeliefQuery(query=HEARD), caller=stage.key("ann"))
    for place in range(25):
        asked = BeliefQuery(query=HEARD, session_id=f"invented {place}")
        await stage.knowledge.beliefs.query(asked, caller=stage.key("bob"))
    await stage.say(HEARD, source=page(1))
    assert (await stage.knowledge.beliefs.get(belief.id, caller=stage.key("ann"))).statements == 1


@pytest.mark.integration
@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("signal", ["explicit_request", "mention"])
async def test_an_inference_does_not_replace_what_four_sources_say(stage: Stage, signal: str) -> None:
    belief = await stage.say(HEARD)
    for by in ("bob", "cid", "dan"):
        belief = await stage.support(belief, by=by)
    assert belief.stage == "established"
    guess = SourceGiven(kind="inference", title="a guess")
    newer = BeliefSupersede(content="The old mill still stands empty", signal=signal, source=guess)
    newcomer = await stage.knowledge.beliefs.supersede(belief.id, newer, caller=stage.key("eve"))
    old = await stage.knowledge.beliefs.get(belief.id, caller=stage.key("ann"))
    assert (old.status, newcomer.status) == ("disputed", "disputed")
    assert {old.tensions[0].a.id, old.tensions[0].b.id} == {old.id, newcomer.id}
    assert newcomer.confidence.overall <= 0.5


@pytest.mark.integration
@pytest.mark.usefixtures("no_model")
async def test_what_is_less_sure_does_not_replace_and_what_is_as_sure_does(stage: Stage) -> None:
    belief = await stage.say(HEARD, signal="decision")
    weaker = BeliefSupersede(content="Perhaps the mill was never for sale", signal="mention")
    assert (await stage.knowledge.beliefs.supersede(belief.id, weaker, caller=stage.key("bob"))).status == "disputed"
    surer = BeliefSupersede(content="The town has bought the ruin", signal="explicit_request")
    assert (await stage.knowledge.beliefs.supersede(belief.id, surer, caller=stage.key("bob"))).status == "active"
    assert (await stage.knowledge.beliefs.get(belief.id, caller=stage.key("bob"))).status == "superseded"


@pytest.mark.integration
@pytest.mark.usefixtures("no_model")
async def test_a_helper_moves_a_track_record_once(stage: Stage) -> None:
    guesser = SourceGiven(kind="inference", title="the guesser")
    belief = None
    for word in ("apple", "birch", "cedar", "elder", "hazel", "juniper"):
        belief = await stage.say(f"The {word} stands alone in the garden", source=guesser)
        await stage.support(belief, by="ann", source=SourceGiven(title="my other name"))
        await stage.support(belief, by="helper")
    assert belief is not None
    found = await stage.knowledge.sources.get(str(belief.source_id), caller=stage.key("ann"))
    assert found.track_record.confirmed == 1
    assert found.track_record.reliability == pytest.approx((4 * 0.4 + 1) / 5)


_REFUSED = (ConflictError, NotFoundError)
_FRESH = itertools.count()
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            ["say", "say", "derive", "derive", "support", "support", "page", "supersede", "retract", "merge", "recall"]
        ),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    min_size=2,
    max_size=8,
)
WORDS = ("apple", "birch", "cedar", "elder", "hazel", "juniper")


async def _played(knowledge: Knowledge, scope: str, moves: list[tuple[str, int, int]]) -> None:
    """Gossip of one key, and whatever that key and its pages then do: nothing rests above the gossip."""
    stage = Stage(knowledge, scope)
    ann: Caller = stage.key("ann")
    held = [await stage.say(HEARD, signal="mention")]
    for move, first, second in moves:
        one, other = held[first % len(held)], held[second % len(held)]
        loud = {"signal": "explicit_request", "derived_from": (one.id,)}
        text = f"Rumour has it that the {WORDS[second]} {CONCLUDED[4:]}"
        try:
            if move == "say":
                await stage.say(one.content, signal="mention", source=SourceGiven(title=WORDS[second]))
            elif move == "derive":
                held.append(await stage.say(text, **loud))
            elif move == "support":
                await stage.support(one, source=SourceGiven(kind="document", title=WORDS[second]))
            elif move == "page":
                await stage.support(one, source=SourceGiven(uri=f"https://www.example.com/{second}"), by="ann")
            elif move == "supersede":
                newer = BeliefSupersede(content=f"{text} again")
                held.append(await knowledge.beliefs.supersede(one.id, newer, caller=ann))
            elif move == "retract":
                await knowledge.retraction.apply(RetractionRequest(belief_id=one.id), caller=ann)
                await stage.say(one.content, signal="mention")
            elif move == "merge" and one.id != other.id:
                await knowledge.merging.merge(MergeRequest(winner_id=one.id, loser_id=other.id), caller=ann)
            elif move == "recall":
                await knowledge.beliefs.query(BeliefQuery(query=one.content), caller=ann)
                await knowledge.beliefs.corroborate(one.id, Corroboration(), caller=ann)
        except _REFUSED:
            continue
    assert await stage.highest() <= 0.35 + 1e-6


_SETTINGS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)


@pytest.mark.integration
@pytest.mark.usefixtures("no_model")
@settings(_SETTINGS, max_examples=12)
@given(moves=OPERATIONS)
async def test_no_sequence_of_calls_by_gossip_rests_above_gossip(
    knowledge: Knowledge, user: str, moves: list[tuple[str, int, int]]
) -> None:
    await _played(knowledge, f"{user}-{next(_FRESH)}", moves)


@pytest.mark.integration
@pytest.mark.long
@pytest.mark.timeout(7_200)
@pytest.mark.usefixtures("no_model")
@settings(_SETTINGS, max_examples=2_000)
@given(moves=OPERATIONS)
async def test_no_sequence_of_2000_by_gossip_rests_above_gossip(
    knowledge: Knowledge, user: str, moves: list[tuple[str, int, int]]
) -> None:
    await _played(knowledge, f"{user}-{next(_FRESH)}", moves)
