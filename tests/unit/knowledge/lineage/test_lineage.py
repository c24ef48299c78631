"""What falls when its ground goes: laws of a pure function, on random lineages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clause.knowledge.lineage.lineage import Dependent, Key, fallen

NODES = [("Belief", f"b{number}") for number in range(6)]
SOURCES = [("Source", f"s{number}") for number in range(3)]


def dependent(
    key: Key, parents: frozenset[Key], sources: frozenset[str], independent: int, by: frozenset[str] = frozenset()
) -> Dependent:
    grounds = parents | {("Source", source) for source in sources}
    return Dependent(key, "", "", "user:ann", by, parents, sources, independent, grounds)


@st.composite
def lineages(draw: st.DrawFn) -> dict[Key, Dependent]:
    """Beliefs that rest on earlier ones and on sources."""
    found = {}
    for place, key in enumerate(NODES):
        parents = draw(st.frozensets(st.sampled_from(NODES[:place]), max_size=2)) if place else frozenset()
        sources = draw(st.frozensets(st.sampled_from([name for _, name in SOURCES]), min_size=0 if parents else 1))
        found[key] = dependent(key, parents, sources, len(sources))
    return found


ROOTS = st.lists(st.sampled_from([*NODES, *SOURCES]), min_size=1, max_size=3, unique=True)


def slow(roots: list[Key], dependents: dict[Key, Dependent]) -> set[Key]:
    """The second opinion: what still stands is found from the ground up, and the rest fell."""
    standing: set[Key] = set()
    for key in NODES:
        one = dependents[key]
        if key in roots:
            continue
        sources = {source for source in one.sources if ("Source", source) not in roots}
        parents = {parent for parent in one.parents if parent in standing}
        alone = one.independent > 1 and len(sources) > 1
        if (parents or alone) if one.parents else sources:
            standing.add(key)
    return {key for key in NODES if key not in standing and key not in roots}


@given(lineages(), ROOTS)
def test_what_falls_is_what_no_ground_is_left_under(dependents: dict[Key, Dependent], roots: list[Key]) -> None:
    assert set(fallen(roots, dependents)) == slow(roots, dependents)


@given(lineages(), ROOTS, st.sampled_from(NODES))
def test_taking_more_away_never_saves_anything(dependents: dict[Key, Dependent], roots: list[Key], more: Key) -> None:
    wider = fallen([*roots, more], dependents) | {more}
    assert fallen(roots, dependents) <= wider | set(roots)


def test_an_answer_never_falls_and_evidence_falls_with_its_node() -> None:
    root = ("Belief", "b")
    run = dependent(("Run", "r"), frozenset({root}), frozenset(), 0)
    cited = dependent(("Evidence", "e"), frozenset({root}), frozenset({"s0"}), 0, frozenset({"UNIT"}))
    assert fallen([root], {run.key: run, cited.key: cited}) == {cited.key}


def test_a_circle_of_derivations_does_not_hold_itself_up_when_a_root_is_in_it() -> None:
    one = dependent(("Belief", "one"), frozenset({("Belief", "two")}), frozenset(), 0)
    two = dependent(("Belief", "two"), frozenset({("Belief", "root")}), frozenset(), 0)
    assert fallen([("Belief", "root")], {one.key: one, two.key: two}) == {one.key, two.key}
