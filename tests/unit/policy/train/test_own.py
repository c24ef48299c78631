"""Own questions: what they teach, that little teaches no harm, and that a killed run ends as an unbroken one."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest

from clause.errors import BadInputError, ConflictError
from clause.evaluation.question_files import GoldQuestion
from clause.policy.serve.grounded import GroundedPolicy, shipped
from clause.policy.serve.pattern_scorer import TaughtScorer
from clause.policy.train.lessons import lessons_of
from clause.policy.train.own import OwnRun, set_aside
from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.episode.actions import Look
from clause.reasoning.episode.budget import Prices
from clause.reasoning.neighbourhood.port import Expansion, RelationshipType, View
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.reasoning.question.pattern_text import pattern_text
from clause.text.names import relation_words

pytestmark = pytest.mark.slow

DRESSED, TIMBER, MOORED, CREW = "planked_with", "laid_down_by", "berths_at", "skippered_by"
BOATS = [f"Tern {number}" for number in range(12)]
ENDS = {
    DRESSED: ["larch", "teak", "oak"],
    TIMBER: ["Hale Yard", "Mossop Yard", "Vane Yard"],
    MOORED: ["Cobb Quay", "North Basin", "Gull Stairs"],
    CREW: ["Ada Rook", "Jon Silt", "Una Marsh"],
}
WORDS = {
    DRESSED: ("what is the skin of {} cut from", "which stuff does {} wear on her ribs"),
    TIMBER: ("whose slip did {} come off", "who do we thank for the keel of {}"),
    MOORED: ("where does {} sleep", "where do I find {} at night"),
    CREW: ("who gives the orders on {}", "whose word goes on {}"),
}


def harbour() -> tuple[Snapshot, list[GoldQuestion]]:
    """Boats of one harbour, and questions about them in words that no type has."""
    rng = np.random.default_rng(4)
    edges, asked = [], []
    for boat in BOATS:
        for relation, ends in ENDS.items():
            end = ends[int(rng.integers(len(ends)))]
            edges.append((boat, relation, end))
            asked += [GoldQuestion(wording.format(boat), (end,)) for wording in WORDS[relation]]
    names = {end: end for head, _, tail in edges for end in (head, tail)}
    rng.shuffle(asked)  # type: ignore[arg-type]
    return Snapshot.build(names, edges, [kind(name) for name in ENDS]), asked[:32]


def kind(name: str) -> RelationshipType:
    nothing = np.zeros(4, dtype=np.float32)
    return RelationshipType(name, relation_words(name, True), relation_words(name, False), nothing, nothing)


def asker(graph: Snapshot) -> Callable[[GoldQuestion], Awaitable[Question]]:
    async def expand(look: Look) -> Expansion:
        return await graph.expand(look.nodes, View(()), per_type=look.per_type or 100, hops=look.hops)

    async def ask(gold: GoldQuestion) -> Question:
        boat = max((boat for boat in BOATS if boat in gold.text), key=len)
        start = gold.text.index(boat)
        seeds = [SeedCandidate(boat, boat, 1.0, start, start + len(boat))]
        return Question(gold.text, np.zeros(4), seeds, dict(graph.types), Prices(), expand=expand)

    return ask


def run_in(folder: Path, *, resume: bool = False, killed_after: int | None = None) -> OwnRun:
    def report(phase: str, done: int, _total: int, _figures: dict[str, float]) -> None:
        if phase == "reading" and done == killed_after:
            raise KeyboardInterrupt

    return OwnRun(folder, ("all-MiniLM-L6-v2", 384), report, resume=resume)


async def test_a_quarter_is_kept_for_the_gate_and_the_rest_helps_what_it_was_not_shown(tmp_path: Path) -> None:
    graph, questions = harbour()
    ask = asker(graph)
    metrics = await run_in(tmp_path).train(questions, ask, "harbour")
    assert (metrics["questions"], metrics["usable"], metrics["kept_aside"]) == (24, 24, 8)
    assert metrics["right"] > metrics["shipped_right"]
    about = json.loads((tmp_path / "policy.json").read_text())
    aside = [GoldQuestion(one["question"], tuple(one["answers"])) for one in about["kept_aside"]]
    assert aside == set_aside(questions, 0)[1]
    right = {}
    for policy in (GroundedPolicy(), GroundedPolicy(taught=tmp_path / "policy")):
        agents = [await policy.begin(await ask(gold), _none) for gold in aside]
        sure = [one for one in agents if one.found and one.account.readings[0].probability >= policy.abstain_below]
        right[policy] = sum(
            one.found[0].name in gold.answers for one, gold in zip(agents, aside, strict=True) if one in sure
        )
    before, after = right.values()
    assert after >= before + 2


async def _none(texts: object) -> np.ndarray:  # type: ignore[type-arg]
    raise NotImplementedError(texts)


async def test_a_killed_run_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    graph, questions = harbour()
    ask = asker(graph)
    await run_in(tmp_path / "whole").train(questions[:24], ask, "harbour")
    with pytest.raises(KeyboardInterrupt):
        await run_in(tmp_path / "killed", killed_after=7).train(questions[:24], ask, "harbour")
    with (tmp_path / "killed" / "lessons.jsonl").open("a") as file:
        file.write('[{"question": "half a li')
    asked = []

    async def counted(gold: GoldQuestion) -> Question:
        asked.append(gold)
        return await ask(gold)

    await run_in(tmp_path / "killed", resume=True).train(questions[:24], counted, "harbour")
    assert asked[0] == set_aside(questions[:24], 0)[0][7]
    one, other = ((tmp_path / name / "policy.safetensors").read_bytes() for name in ("whole", "killed"))
    assert one == other
    with pytest.raises(ConflictError, match="other questions"):
        await run_in(tmp_path / "killed", resume=True).train(questions[1:25], ask, "harbour")


async def test_answers_that_follow_no_words_teach_nothing(tmp_path: Path) -> None:
    graph, questions = harbour()
    rng = np.random.default_rng(9)
    ends = [end for ones in ENDS.values() for end in ones]
    wrong = [GoldQuestion(one.text, (ends[int(rng.integers(len(ends)))],)) for one in questions]
    metrics = await run_in(tmp_path).train(wrong[:20], asker(graph), "harbour")
    assert (metrics["precision"], metrics["right"]) == (0.0, metrics["shipped_right"])
    taught = TaughtScorer.read(tmp_path / "policy", shipped())
    walks = [[(TIMBER, True)], [(CREW, True)]]
    assert np.array_equal(taught.score("who made it", walks), shipped().score("who made it", walks))


async def test_a_lesson_names_the_walks_that_lead_to_the_answers_and_to_nothing_else() -> None:
    graph, _ = harbour()
    ask = asker(graph)
    boat = BOATS[0]
    near = await _ends(graph, boat)
    berth = next(end for end in ENDS[MOORED] if end in near)
    gold = GoldQuestion(f"where does {boat} sleep", (berth,))
    (lesson, *_) = await lessons_of(gold, await ask(gold), shipped())
    assert lesson.question == "where does it sleep"
    assert [lesson.patterns[place] for place in lesson.right] == [pattern_text([(MOORED, True)])]
    assert await lessons_of(GoldQuestion(gold.text, ("Nowhere",)), await ask(gold), shipped()) == []
    many = GoldQuestion(f"how many berths has {boat}", ("1",))
    assert await lessons_of(many, await ask(many), shipped()) == []


async def _ends(graph: Snapshot, node: str) -> set[str]:
    found = await graph.expand([node], View(()), per_type=10)
    return {edge.other(node) for edges in found.neighbours[node].values() for edge in edges}


def test_too_few_and_too_many_are_refused() -> None:
    many = [GoldQuestion(str(number), ("b",)) for number in range(100_001)]
    for count in (19, 100_001):
        with pytest.raises(BadInputError, match=f"{count} different questions"):
            set_aside(many[:count], 0)


async def test_a_taught_reader_of_another_or_damaged_is_refused(tmp_path: Path) -> None:
    graph, questions = harbour()
    await run_in(tmp_path).train(questions[:20], asker(graph), "harbour")
    file = tmp_path / "policy.json"
    about = json.loads(file.read_text())
    file.write_text(json.dumps({**about, "reader": "of yesterday"}))
    with pytest.raises(BadInputError, match="another reader"):
        GroundedPolicy(taught=tmp_path / "policy").warm()
    file.write_text(json.dumps({**about, "sha256": "of others"}))
    with pytest.raises(BadInputError, match="damaged"):
        GroundedPolicy(taught=tmp_path / "policy").warm()


async def test_one_question_that_teaches_leaves_the_reader_as_it_is(tmp_path: Path) -> None:
    graph, questions = harbour()
    unknown = [GoldQuestion(one.text, ("nobody",)) for one in questions]
    teaching, _ = set_aside(unknown, 0)
    asked = [one if told.text == teaching[0].text else told for one, told in zip(questions, unknown, strict=True)]
    metrics = await run_in(tmp_path).train(asked, asker(graph), "harbour")
    assert (metrics["usable"], metrics["precision"], metrics["offset"]) == (1, 0.0, 0.0)


def test_what_the_gate_asks_is_not_taught_though_the_file_says_it_twice() -> None:
    questions = [GoldQuestion(str(number), ("a",)) for number in range(20)] * 2
    teaching, aside = set_aside(questions, 0)
    assert (len(teaching), len(aside)) == (15, 5)
    assert not {one.text for one in teaching} & {one.text for one in aside}
    with pytest.raises(BadInputError, match="19 different questions"):
        set_aside(questions[:19] * 2, 0)
    again = [GoldQuestion(f"Who keeps {number}?", ("a", "b")) for number in range(20)]
    again += [GoldQuestion(f"who keeps {number}", ("b", "a")) for number in range(20)]
    assert tuple(map(len, set_aside(again, 0))) == (15, 5)
