import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from clause.errors import BadInputError
from clause.intelligence.causal.graph import CausalEdge, CausalGraph
from clause.intelligence.causal.scores import CausalMemory, CausalScores
from clause.policy.config import CloningConfig
from clause.policy.serve.checkpoint import About
from clause.policy.serve.grounded import GroundedPolicy, count_edges
from clause.policy.serve.inference import LearnedPolicy, SeedWeights
from clause.policy.train.demonstrations import demonstrate, imitate
from clause.policy.train.networks import Checkpoint, save
from clause.policy.train.rollout import Arena
from clause.policy.train.warm_start import CloningLesson, Example, VectorTable, clone
from clause.reasoning.agents.policy import Account, Embed, Question, SeedCandidate
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.episode.actions import CURATOR
from clause.reasoning.episode.budget import Budgets, Prices, Unit
from clause.reasoning.episode.driver import Driver, PortFeeder
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Node, View
from clause.text.tokens import count_all
from clause.workers import CpuPool
from tests.unit.policy.cinema import (
    DIRECTED,
    DIRECTS,
    EMBEDDER,
    GENRE,
    NETWORK,
    RELATIONS,
    STARS,
    actors,
    cinema,
    task,
    types,
)

LESSONS = {
    "who directed it": (DIRECTED,),
    "who stars in it": (STARS,),
    "what genre is it": (GENRE,),
    "what films did it direct": (DIRECTS,),
    "which genres have films whose director made it": (DIRECTED, DIRECTS, GENRE),
}
SNAPSHOT = cinema()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that has learned five questions by heart."""
    examples = [Example(masked, (pattern,)) for masked, pattern in LESSONS.items()] * 8
    lesson = CloningLesson(examples, RELATIONS, VectorTable(EMBEDDER))
    config = CloningConfig(
        epochs=60, batch=40, learning_rate=1e-2, paraphrase=0.2, distractors=2, type_noise=0, withheld=0
    )
    scorer = clone(lesson, NETWORK, config)
    learner = actors()
    tasks = [task(f"film{film}", pattern) for film in range(8) for pattern in LESSONS.values() if pattern != (DIRECTS,)]
    choices = demonstrate(Arena(SNAPSHOT), tasks, learner, np.random.default_rng(0))
    imitate(learner, choices, epochs=40, learning_rate=1e-2)
    path = tmp_path_factory.mktemp("policy") / "p"
    save(Checkpoint(About("p", NETWORK, "hash"), scorer, learner), path)
    return path


def ask(text: str, *named: tuple[str, str, float]) -> Question:
    seeds = []
    for node, name, score in named:
        start = text.find(name)
        span = (start, start + len(name)) if start >= 0 else (None, None)
        seeds.append(SeedCandidate(node, name, score, *span))
    return Question(text, np.zeros(32, dtype=np.float32), seeds, types(), Prices())


def feeder_of(policy: LearnedPolicy, question: Question) -> PortFeeder:
    return PortFeeder(SNAPSHOT, View(()), question, policy.reads_vectors)


async def answer(policy: LearnedPolicy, question: Question, budgets: Budgets | None = None) -> tuple[Episode, set[str]]:
    agents = await policy.begin(question, EMBEDDER.embed)
    episode = Episode([seed.id for seed in question.seeds], budgets or Budgets(), edge_score=agents.edge_score)
    await feeder_of(policy, question).feed(Driver(episode, question, agents, count_all).rounds())
    return episode, set(agents.answer_scores(episode))


def directors(film: str) -> set[str]:
    return {edge.target for edge in SNAPSHOT.expand_now([film], per_type=9).neighbours[film][DIRECTED]}


async def test_types_without_vectors_are_read_by_their_texts_which_are_embedded_once(trained: Path) -> None:
    nothing = np.zeros(32, dtype=np.float32)
    blank = {name: replace(kind, embedding=nothing, inverse_embedding=nothing) for name, kind in types().items()}
    policy, made = LearnedPolicy(trained), list[str]()

    async def embed(texts: Sequence[str]) -> np.ndarray:
        made.extend(texts)
        return await EMBEDDER.embed(texts)

    known = ask("who directed Blue3", ("film3", "Blue3", 1.0))
    asked = [replace(known, relationship_types=blank)] * 2 + [known]
    first, again, given = [(await policy.begin(question, embed)).plans for question in asked]
    assert first == again == given
    assert first[0].pattern == (DIRECTED,)
    texts = [text for kind in blank.values() for text in (kind.text, kind.inverse_text)]
    assert sorted(text for text in made if text in texts) == sorted(texts)


async def test_only_the_question_of_the_seed_that_is_named_best_is_embedded(trained: Path) -> None:
    made: list[str] = []

    async def embed(texts: Sequence[str]) -> np.ndarray:
        made.extend(texts)
        return await EMBEDDER.embed(texts)

    question = ask("who directed Blue3", ("film3", "Blue3", 1.0), ("film4", "who", 0.01))
    agents = await LearnedPolicy(trained).begin(question, embed)
    masked = [text for text in made if text.startswith("who directed") or text.endswith("Blue3")]
    assert len(masked) == 1, made
    assert {plan.seed for plan in agents.plans} == {"film3"}


async def test_other_seeds_are_read_where_the_one_that_is_named_best_leads_nowhere(trained: Path) -> None:
    named = [("nothing-is-known-of-it", "Blue3", 0.99), ("film4", "Blue4", 0.2)]
    episode, found = await answer(LearnedPolicy(trained), ask("who directed Blue3 or Blue4", *named))
    assert found == directors("film4")
    assert episode.subgraph.edges


async def test_a_plain_question_is_answered_with_evidence(trained: Path) -> None:
    episode, found = await answer(LearnedPolicy(trained), ask("who directed Blue", ("film3", "Blue", 0.9)))
    assert found == directors("film3")
    assert all(episode.supporting_path(node) for node in found)


class ReadsNothing(GroundedPolicy):
    """A grounded policy that notes the questions that are handed over to it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def begin(self, question: Question, embed: Embed) -> ProvingAgents:
        self.asked.append(question.text)
        return ProvingAgents([], Account("list", (), "nothing is read here"), (), (), question.prices)


@pytest.mark.parametrize(
    ("text", "handed"),
    [
        ("who directed Blue", False),
        ("who was behind the camera on Blue", True),
        ("what films did Blue direct", False),
        ("who made Blue", True),
    ],
)
async def test_words_that_training_did_not_have_are_handed_over(trained: Path, text: str, *, handed: bool) -> None:
    reader = ReadsNothing()
    policy = LearnedPolicy(trained, grounded=reader)
    heard = {word for masked in LESSONS for word in masked.split()} - {"made"}
    policy.checkpoint.about.metrics["words"] = sorted(heard)  # type: ignore[index]
    await policy.begin(ask(text, ("film3", "Blue", 0.9)), EMBEDDER.embed)
    assert reader.asked == ([text] if handed else [])


async def test_three_hops_are_walked(trained: Path) -> None:
    question = ask("which genres have films whose director made Blue", ("film3", "Blue", 0.9))
    episode, found = await answer(LearnedPolicy(trained), question)
    assert found
    assert [front.pattern for front in episode.trail][-1] == (DIRECTED, DIRECTS, GENRE)


async def test_the_seed_is_the_one_that_the_question_without_it_fits(trained: Path) -> None:
    question = ask("what films did Blue direct", ("film3", "films", 0.6), ("director1", "Blue", 0.6))
    episode, found = await answer(LearnedPolicy(trained), question)
    assert episode.front is not None
    assert episode.front.seed == "director1"
    assert found


async def test_all_candidates_are_embedded_in_one_call(trained: Path) -> None:
    policy = LearnedPolicy(trained)
    before = EMBEDDER.calls
    await policy.begin(ask("who directed Blue", ("film3", "Blue", 0.9), ("film4", "who", 0.4)), EMBEDDER.embed)
    assert EMBEDDER.calls == before + 1


async def test_a_seed_that_was_given_is_looked_for_in_the_text(trained: Path) -> None:
    question = ask("who directed Blue", ("film3", "blue", 1.0))
    assert question.seeds[0].start is None
    _, found = await answer(LearnedPolicy(trained), question)
    assert found == directors("film3")


def starring(film: str) -> list[str]:
    return sorted(edge.target for edge in SNAPSHOT.expand_now([film], per_type=9).neighbours[film][STARS])


def causes(film: str, strengths: dict[str, float]) -> CausalScores:
    """Each actor causes the film with its strength."""
    graph = CausalGraph.of([CausalEdge(actor, film, strength) for actor, strength in strengths.items()])
    return CausalScores(graph, CausalMemory())


def causal(question: Question, *names: str) -> Question:
    kinds = {name: replace(kind, is_causal=name in names) for name, kind in question.relationship_types.items()}
    question.relationship_types = kinds
    return question


async def starred(trained: Path, question: Question) -> Episode:
    return (await answer(LearnedPolicy(trained), question, Budgets(edges=1, steps=3, tokens=200)))[0]


@pytest.mark.parametrize("place", range(3))
async def test_where_edges_must_be_left_out_the_likeliest_cause_is_kept(trained: Path, place: int) -> None:
    strongest = starring("film3")[place]
    question = causal(ask("who stars in Blue", ("film3", "Blue", 0.9)), "starred_actors")
    question.causal = causes("film3", {actor: 0.9 if actor == strongest else 0.1 for actor in starring("film3")})
    episode = await starred(trained, question)
    assert [edge.target for edge in episode.subgraph.edges] == [strongest]


async def test_without_causal_edges_or_a_causal_type_every_step_is_the_same(trained: Path) -> None:
    plain = await starred(trained, ask("who stars in Blue", ("film3", "Blue", 0.9)))
    assert plain.subgraph.edges
    strengths = dict(zip(starring("film3"), (0.1, 0.5, 0.9), strict=True))
    for scores, kinds in (
        (CausalScores(CausalGraph(), CausalMemory()), ("starred_actors",)),
        (causes("elsewhere", strengths), ("starred_actors",)),
        (causes("film3", strengths), ("directed_by",)),
    ):
        question = causal(ask("who stars in Blue", ("film3", "Blue", 0.9)), *kinds)
        question.causal = scores
        assert (await starred(trained, question)).log == plain.log


async def test_what_fits_whole_is_taken_whole_whatever_the_causes(trained: Path) -> None:
    question = causal(ask("who stars in Blue", ("film3", "Blue", 0.9)), "starred_actors")
    question.causal = causes("film3", {starring("film3")[0]: 0.9})
    _, found = await answer(LearnedPolicy(trained), question)
    assert found == set(starring("film3"))
    assert question.causal.spent == 0


async def test_no_seed_is_an_answer_with_nothing(trained: Path) -> None:
    episode, found = await answer(LearnedPolicy(trained), ask("who directed it"))
    assert found == set()
    assert episode.spend.edges == 0


async def test_texts_are_taken_best_first_when_nothing_was_walked(trained: Path) -> None:
    policy = LearnedPolicy(trained)
    question = ask("who directed it")
    agents = await policy.begin(question, EMBEDDER.embed)
    episode = Episode([], Budgets(tokens=9))
    episode.offer([Unit(str(number), "text", 4) for number in range(4)])
    turn = await feeder_of(policy, question).feed(Driver(episode, question, agents, count_all).turn(CURATOR))
    assert episode.picked == [0, 1]
    assert turn.stop.reason == "COMPLETE"


async def test_evidence_is_not_empty_while_something_fits(trained: Path) -> None:
    question = ask("which genres have films whose director made Blue", ("film3", "Blue", 0.9))
    episode, _ = await answer(LearnedPolicy(trained), question, Budgets(edges=3, steps=3, tokens=14))
    assert episode.pool
    assert episode.picked or not episode.pickable()


async def test_the_same_question_gets_the_same_steps_with_and_without_a_pool(trained: Path) -> None:
    pool = CpuPool(1)
    question = ask("which genres have films whose director made Blue", ("film3", "Blue", 0.9))
    first, _ = await answer(LearnedPolicy(trained), question)
    second, _ = await answer(LearnedPolicy(trained, pool=pool), question)
    pool.close()
    assert first.log == second.log


def test_a_foreign_checkpoint_is_refused_when_warmed(trained: Path) -> None:
    with pytest.raises(BadInputError, match="the graph uses 'other'"):
        LearnedPolicy(trained, embedder="other").warm()


def test_making_a_policy_reads_nothing() -> None:
    policy = LearnedPolicy(Path("nowhere"), name="mine")
    assert policy.name == "mine"
    assert not policy.reads_vectors


def test_the_threshold_comes_with_the_checkpoint(trained: Path) -> None:
    assert LearnedPolicy(trained).abstain_below == 0.0
    assert LearnedPolicy(trained).checkpoint.about.name == "p"


def test_seeds_are_judged_by_pattern_and_finder_together() -> None:
    weights = SeedWeights()
    assert weights.score(-0.1, 0.9) > weights.score(-2.0, 0.9) > weights.score(-2.0, 0.2)
    assert 0 < weights.score(-1e9, 0.0) < weights.score(0.0, 1.0) < 1


def test_many_edges_are_counted_by_their_letters() -> None:
    nodes = {"a": Node("a", "A name of some words"), "b": Node("b", "Another")}
    edge = Edge("a", "directed_by", "b")
    exact, rough = count_edges([edge], nodes, types=types()), count_edges([edge] * 401, nodes, types=types())
    assert exact[0] == count_all(["A name of some words directed by Another."])[0]
    assert abs(rough[0] - exact[0]) <= 4


async def test_questions_at_once_lose_no_vector_to_a_memory_that_is_full(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.policy.serve.inference.REMEMBERED", 3)
    policy = LearnedPolicy(trained)

    async def embed(texts: Sequence[str]) -> np.ndarray:
        await asyncio.sleep(0)
        return await EMBEDDER.embed(texts)

    texts = ["who directed Blue3", "who stars in Blue3", "what genre is Blue3", "who directed Blue3"]
    begun = await asyncio.gather(*(policy.begin(ask(text, ("film3", "Blue3", 1.0)), embed) for text in texts))
    assert [agents.plans[0].pattern for agents in begun] == [(DIRECTED,), (STARS,), (GENRE,), (DIRECTED,)]
    alone = await LearnedPolicy(trained).begin(ask(texts[1], ("film3", "Blue3", 1.0)), EMBEDDER.embed)
    assert begun[1].plans == alone.plans
