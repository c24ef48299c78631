"""One episode of a policy over a snapshot, without a service."""

from dataclasses import dataclass, field

from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.episode.budget import Prices
from clause.reasoning.episode.driver import Driver, PortFeeder
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import View

VIEW = View(("kg:films",))


@dataclass
class Played:
    """What a finished episode says."""

    episode: Episode
    scores: dict
    stops: list = field(default_factory=list)

    @property
    def supported(self):
        return {node for node in self.scores if self.episode.supporting_path(node)}

    @property
    def edges(self):
        return list(self.episode.subgraph.edges)


def count_words(texts):
    return [len(text.split()) for text in texts]


async def play(policy, graph, text, seeds, budgets, embedding=None):
    """Architect, Navigator, Curator in turn; `seeds` are (name, score), located in the text where they occur."""
    candidates = []
    for name, score in seeds:
        start = text.find(name)
        span = (None, None) if start < 0 else (start, start + len(name))
        candidates.append(SeedCandidate(name, name, score, *span))
    types = {kind.name: kind for kind in await graph.relationship_types(VIEW)}
    question = Question(text, embedding, candidates, types, Prices(), start_nodes_given=False)
    question.vectors.update(await graph.embeddings([name for name, _ in seeds]))
    episode = Episode([seed.id for seed in candidates], budgets)
    agents = await policy.begin(question, None)
    feeder = PortFeeder(graph, VIEW, question, policy.reads_vectors)
    turns = await feeder.feed(Driver(episode, question, agents, count_words).rounds())
    stops = [turn.stop.reason for of_agent in turns.values() for turn in of_agent]
    return Played(episode, dict(agents.answer_scores(episode)), stops)
