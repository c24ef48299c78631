"""The walk over texts: names, links and their worth, and agents that hand on what they paid for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from clause.arrays import Vector
from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.agents.text_links import (
    Coverage,
    TextLink,
    TextPool,
    context_of,
    rank_by_links,
    rank_by_pages,
    stems,
)
from clause.reasoning.agents.text_links import rank_two_steps as two_steps
from clause.reasoning.agents.text_walk import TextWalkPolicy, named_texts, names_said, pagerank, two_step
from clause.reasoning.episode.actions import Look
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.episode.driver import Driver, begun, feed_from
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Expansion, FoundText, Hop, Node
from clause.reasoning.neighbourhood.snapshot import Snapshot

TEXTS = {
    "harbour": ("Port Ellis", "Port Ellis is a harbour town. The engineer Ada Quill built its lighthouse."),
    "quill": ("Ada Quill", "Ada Quill studied bridges in Varna and died in 1911."),
    "varna": ("Varna (city)", "Varna lies on the coast."),
    "other": ("Lighthouse keeper", "A lighthouse keeper was born to watch; an engineer seldom is."),
    "song": ("Harbour song", "A song about a harbour town and its lighthouse."),
}
MENTIONED = {
    "harbour": ("Port Ellis", "Ada Quill"),
    "quill": ("Ada Quill", "Varna"),
    "varna": ("Varna (city)", "Varna"),
}
SUBJECTS = {key: (title, title.removesuffix(" (city)")) for key, (title, _) in TEXTS.items()}
ASKED = "Where did the engineer of the lighthouse in Port Ellis study?"


def vector(text: str) -> Vector:
    """Letters counted, so that like texts are near."""
    found = np.zeros(64, dtype=np.float32)
    for word in stems(text):
        found[sum(map(ord, word)) % 64] += 1
    length = float(np.linalg.norm(found))
    return found / length if length else found


class Library:
    """The texts and their entities as a graph in memory."""

    def __init__(self) -> None:
        self.nodes = {key: Node(key, title, "passage", text=text) for key, (title, text) in TEXTS.items()}
        names = {name for named in (*MENTIONED.values(), *SUBJECTS.values()) for name in named}
        self.edges = [Edge(text, "MENTIONS", name) for text, named in MENTIONED.items() for name in named]
        self.edges += [Edge(text, "ABOUT", name) for text, named in SUBJECTS.items() for name in dict.fromkeys(named)]
        degrees = {name: sum(edge.target == name for edge in self.edges) for name in names}
        self.nodes |= {name: Node(name, name, "entity", degree) for name, degree in degrees.items()}
        self.looks: list[Look] = []

    async def expand(self, look: Look) -> Expansion:
        self.looks.append(look)
        neighbours: dict[str, dict[Hop, tuple[Edge, ...]]] = {}
        for node in look.nodes:
            by_hop = neighbours[node] = {}
            for hop in look.hops or ():
                here = [
                    edge
                    for edge in self.edges
                    if edge.relation == hop.relation and (edge.source if hop.forward else edge.target) == node
                ]
                by_hop[hop] = tuple(here[: look.per_type])
        ends = {end for by_hop in neighbours.values() for edges in by_hop.values() for e in edges for end in e[::2]}
        found = {one: self.nodes[one] for one in sorted({*ends, *look.nodes})}
        return Expansion(neighbours, found, edges_read=sum(len(e) for h in neighbours.values() for e in h.values()))

    async def recall(self, _limit: int) -> Sequence[FoundText]:
        order = ["song", "other", "harbour"]
        return [FoundText(self.nodes[one], 1 - place / 4, 1 - place / 4) for place, one in enumerate(order)]

    async def vectors(self, nodes: Sequence[str]) -> Mapping[str, Vector]:
        return {node: vector(" ".join(TEXTS[node])) for node in nodes if node in TEXTS}

    def question(self, text: str = ASKED) -> Question:
        seeds = [SeedCandidate("Port Ellis", "Port Ellis", 0.9, 40, 50)] if "Port Ellis" in text else []
        found = Question(text, vector(text), seeds, {}, Prices())
        found.expand, found.recall, found.read_vectors = self.expand, self.recall, self.vectors
        return found


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


async def walked(policy: TextWalkPolicy, budgets: Budgets, text: str = ASKED) -> tuple[Episode, list[str]]:
    """A played episode, and the texts that were handed on."""

    async def embed(_texts: Sequence[str]) -> np.ndarray:
        raise AssertionError("nothing is embedded")

    question = Library().question(text)
    agents = await policy.begin(question, embed)
    episode = begun(question, agents, budgets)
    feed_from(Snapshot.build({}, ()), Driver(episode, question, agents, count).rounds())
    assert not budgets.exceeded_by(episode.spend)
    return episode, [episode.pool[place].id for place in episode.picked]


async def test_the_text_that_a_named_one_leads_to_comes_before_texts_with_more_of_the_words() -> None:
    episode, handed = await walked(TextWalkPolicy(), Budgets(50, 10, 200))
    assert handed[:2] == ["harbour", "quill"]
    assert set(handed) >= {"song", "other"}
    assert Edge("harbour", "MENTIONS", "Ada Quill") in episode.subgraph.edges
    assert Edge("quill", "ABOUT", "Ada Quill") in episode.subgraph.edges
    assert "quill" in {node for front in episode.walked for node in front.nodes}


@pytest.mark.parametrize("budgets", [Budgets(1, 10, 200), Budgets(50, 1, 200)])
async def test_a_text_whose_link_is_not_paid_stands_where_it_would_without(budgets: Budgets) -> None:
    _, handed = await walked(TextWalkPolicy(), budgets)
    assert handed[0] == "harbour"
    assert handed.index("quill") > 1


async def test_as_many_texts_as_the_tokens_hold_are_handed_on() -> None:
    for tokens in (14, 20, 33, 60):
        episode, handed = await walked(TextWalkPolicy(), Budgets(50, 10, tokens))
        left = tokens - episode.spend.tokens
        assert handed
        assert all(unit.tokens > left for unit in episode.pool if unit.id not in handed)


async def test_the_rules_by_name_walk_too_and_without_any_name_recall_alone_ranks() -> None:
    for policy in (two_step(), pagerank()):
        _, handed = await walked(policy, Budgets(50, 10, 200))
        assert {"quill", "harbour", "song"} <= set(handed), policy.name
    _, handed = await walked(two_step(), Budgets(50, 10, 200), "a song of the sea")
    assert handed[0] == "song"


def test_names_are_what_the_question_says_of_titles_and_short_forms() -> None:
    texts = [
        Node("1", "Dark River (2017 film)"),
        Node("2", "Dark River (1990 film)"),
        Node("3", "Film"),
        Node("4", "The"),
    ]
    assert names_said("Who made Dark River (2017 Film)?", texts) == ["Dark River (2017 film)"]
    assert names_said("The film Dark River: who made it?", texts) == ["Dark River"]
    assert names_said("who made dark river", texts) == ["Dark River"]
    assert names_said("Nothing here", texts) == []
    assert named_texts(["Dark River"], texts) == [(texts[0], 0.5), (texts[1], 0.5)]
    assert named_texts(["dark river (2017 film)"], texts) == [(texts[0], 1.0)]


def pool(*titles: str) -> TextPool:
    found = TextPool("who", np.array([1.0, 0.0], dtype=np.float32))
    for title in titles:
        found.add(Node(title, title, "passage", text=title))
    return found


def test_without_links_texts_stand_by_their_own_signals_and_other_subjects_come_before_more_of_one() -> None:
    texts = pool("a", "b", "c")
    texts.words = [0.2, 0.9, 0.8]
    texts.nodes[2] = Node("c", "b", "passage", text="again")
    ranked = rank_by_links(texts)
    assert np.argsort(-ranked.scores).tolist() == [1, 0, 2]
    assert ranked.by == {}


def test_a_link_lifts_by_how_the_parent_names_it() -> None:
    texts = pool("parent", "first", "second", "unlinked")
    texts.named = [1.0, 0.0, 0.0, 0.0]
    triples = (Edge("parent", "MENTIONS", "x"), Edge("first", "ABOUT", "x"))
    texts.links = [TextLink(0, 1, triples, title=1.0, context=0.5), TextLink(0, 2, triples, title=1.0)]
    for rank in (rank_by_links, two_steps, rank_by_pages):
        ranked = rank(texts)
        assert min(ranked.scores[1], ranked.scores[2]) > ranked.scores[3], rank.__name__
        assert set(ranked.by) == {1, 2}
    assert rank_by_links(texts).scores[1] > rank_by_links(texts).scores[2]


def test_no_text_at_all_is_ranked_as_nothing() -> None:
    for rank in (rank_by_links, two_steps, rank_by_pages):
        assert rank(pool()).scores.tolist() == []


def test_coverage_counts_rare_words_and_only_what_the_parent_does_not_say() -> None:
    texts = TextPool("the harbour engineer", np.zeros(2, dtype=np.float32))
    for key, text in {"a": "A harbour.", "b": "An engineer.", "c": "A harbour again."}.items():
        texts.add(Node(key, "", "passage", text=text))
    asked = Coverage(texts)
    assert asked.missing(0, 1) > asked.missing(1, 0) > 0
    assert asked.missing(0, 2) == 0


def test_the_words_around_a_name_say_why_it_is_named() -> None:
    text = "Heat is a film. It was directed by Mann. Pacino stars."
    assert context_of("Mann", text, stems("the director"))[1] == 1.0
    assert context_of("Pacino", text, stems("the director"))[1] == 0.0
    assert context_of("Kilmer", text, stems("the director")) == (-1, 0.0)
