"""Questions over the small film graph, with vectors of hashed words and without a database."""

from __future__ import annotations

from collections.abc import Sequence

from clause.reasoning.agents.policy import Question, SeedCandidate
from clause.reasoning.episode.budget import Prices
from clause.reasoning.models import SeedEntity
from clause.reasoning.neighbourhood.port import RelationshipType, View
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.reasoning.question.preparation import PreparedQuestion
from tests.fakes.embedder import HashEmbedder
from tests.unit.reasoning.films import EDGES, NAMES

VIEW = View(("kg:films",))
TEXTS = {
    "directed_by": ("directed by", "director of"),
    "starred_actors": ("starred actors", "acted in"),
    "has_genre": ("has genre", "genre of"),
}


async def embedded_films(embedder: HashEmbedder) -> Snapshot:
    """The film graph with vectors of names and of relationship types."""
    vectors = dict(zip(NAMES, await embedder.embed(list(NAMES.values())), strict=True))
    types = []
    for name, texts in TEXTS.items():
        forward, inverse = await embedder.embed(list(texts))
        types.append(RelationshipType(name, *texts, forward, inverse))
    return Snapshot.build(NAMES, EDGES, types, vectors)


async def ask(
    text: str, seeds: Sequence[str], graph: Snapshot, embedder: HashEmbedder, prices: Prices | None = None
) -> PreparedQuestion:
    """A question that starts at the given nodes."""
    entities = tuple(SeedEntity(id=seed, name=NAMES[seed], score=1.0, reason="given") for seed in seeds)
    question = Question(
        text,
        await embedder.embed_query(text),
        [SeedCandidate(seed.id, seed.name, seed.score) for seed in entities],
        graph.types,
        prices or Prices(),
        start_nodes_given=True,
    )
    return PreparedQuestion(question, VIEW, entities, embed_ms=0.0)
