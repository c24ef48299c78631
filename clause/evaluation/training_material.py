"""Training material from question files and from a graph: snapshots, and questions tied to their nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clause.arrays import Vector
from clause.evaluation.question_files import GoldQuestion
from clause.graph.runner import Graph
from clause.ingest.samples import KB
from clause.ingest.source import open_text
from clause.reasoning.neighbourhood.neo4j import PAIRS, Neo4jNeighbourhood
from clause.reasoning.neighbourhood.port import NeighbourhoodPort, View
from clause.reasoning.neighbourhood.snapshot import Snapshot, joined
from clause.reasoning.question.seeds import SeedFinder
from clause.text.embedder import Embedder, SentenceTransformerEmbedder
from clause.text.fields import utc_now

if TYPE_CHECKING:
    from clause.policy.config import Recipe
    from clause.policy.train.lessons import AnsweredQuestion
    from clause.policy.train.trainer import TrainingMaterial


def packaged() -> tuple[Snapshot, Embedder]:
    """The packaged sample of the graph, without any server, and the embedder that it is read with."""
    return read_triples(KB), SentenceTransformerEmbedder()


def read_triples(path: Path, prefix: str = "") -> Snapshot:
    """The graph of a `head|relation|tail` file, plain or gzipped; ids are names behind `prefix`, lines of another form
    are left out.
    """
    with open_text(path) as lines:
        triples = [tuple(line.rstrip("\r\n").split("|")) for line in lines if line.count("|") == 2]
    names = {f"{prefix}{end}": end for head, _, tail in triples for end in (head, tail)}
    return Snapshot.build(names, [(f"{prefix}{head}", kind, f"{prefix}{tail}") for head, kind, tail in triples])


def drawn_for(
    snapshot: Snapshot,
    embedder: Embedder,
    sets: Iterable[Sequence[GoldQuestion]],
    recipe: Recipe,
    graphs: Sequence[tuple[Snapshot, Sequence[GoldQuestion]]] = (),
) -> TrainingMaterial:
    """The material that a recipe trains on: as many questions of each set, and of each further graph, as it wants."""
    asked = bracketed(snapshot, chain.from_iterable(draw(questions, recipe) for questions in sets))
    for own, questions in graphs:
        asked += bracketed(own, draw(questions, recipe))
    return with_types(joined([snapshot, *(own for own, _ in graphs)]) if graphs else snapshot, embedder, asked)


def draw(questions: Sequence[GoldQuestion], recipe: Recipe) -> list[GoldQuestion]:
    """As many of one file's questions as the recipe clones, by its seed."""
    count = recipe.cloning.questions_per_file
    order = np.random.default_rng(recipe.seed).permutation(len(questions))[:count]
    return [questions[place] for place in order.tolist()]


def bracketed(snapshot: Snapshot, questions: Iterable[GoldQuestion]) -> list[AnsweredQuestion]:
    """The questions whose topic entity is named in the file and is a node of the graph."""
    ids = ids_by_name(snapshot)
    found = []
    for question in questions:
        if question.entity is not None and question.entity in ids:
            start = question.text.find(question.entity)
            span = (start, start + len(question.entity)) if start >= 0 else None
            found.append(answered(question, ids[question.entity], span, ids))
    return found


def answered(
    question: GoldQuestion, seed: str, span: tuple[int, int] | None, ids: Mapping[str, str]
) -> AnsweredQuestion:
    """A question about the node `seed`, which `span` of its text names, with its answers as nodes."""
    from clause.policy.train.lessons import AnsweredQuestion  # noqa: PLC0415 -- the policy's room imports torch, which takes seconds

    known = frozenset(ids[name] for name in question.answers if name in ids)
    start, end = span or (None, None)
    return AnsweredQuestion(question.text, seed, start, end, known, len(question.answers) - len(known))


def ids_by_name(snapshot: Snapshot) -> dict[str, str]:
    """The first node of each name."""
    return dict(zip(reversed(snapshot.names), reversed(snapshot.ids), strict=True))


def with_types(snapshot: Snapshot, embedder: Embedder, asked: Sequence[AnsweredQuestion]) -> TrainingMaterial:
    """Material whose relationship types all have vectors: plain ones where nobody described them."""
    from clause.policy.train.lessons import plain_types  # noqa: PLC0415 -- as above
    from clause.policy.train.trainer import TrainingMaterial  # noqa: PLC0415

    types = {name: kind for name, kind in snapshot.types.items() if kind.embedding.any()}
    lacking = [relation for relation in snapshot.relations if relation not in types]
    types |= plain_types(lacking, embedder) if lacking else {}
    return TrainingMaterial(replace(snapshot, types=types), asked, embedder)


PAGE = 2_000


async def export_snapshot(
    graph: Graph, port: NeighbourhoodPort, view: View, *, dimension: int, page: int = PAGE
) -> Snapshot:
    """The entities of the view's scopes, their relationships of registered types, basins and vectors of `dimension`.

    Pages through the entities by id; what changes meanwhile may be in or out. The clocks of the view are not looked at:
    a snapshot holds what is now.
    """
    types = await port.relationship_types(view)
    names: dict[str, str] = {}
    edges: list[tuple[str, str, str]] = []
    vectors: dict[str, Vector] = {}
    basins: dict[str, float] = {}
    together: dict[tuple[str, str], int] = {}
    after = ""
    while True:
        rows = await graph.run(
            "evaluation/export_page",
            now=utc_now(),
            scopes=list(view.scopes),
            relations=[kind.name for kind in types],
            after=after,
            limit=page,
            pairs=PAIRS,
            dimension=dimension,
        )
        for row in rows:
            names[row["id"]] = row["name"]
            edges += [(row["id"], relation, end) for relation, end in row["ends"]]
            if row["embedding"] is not None:
                vectors[row["id"]] = row["embedding"]
            if row["basin"] is not None:
                basins[row["id"]] = row["basin"]
            together.update(((row["id"], other), count) for other, count in row["together"])
        if len(rows) < page:
            return Snapshot.build(names, edges, types, vectors, basins=basins, together=together)
        after = rows[-1]["id"]


@dataclass(frozen=True)
class ScopeReader:
    """Reads scopes of a graph into memory, and finds what questions are about there."""

    graph: Graph
    seeds: SeedFinder
    embedder: Embedder

    async def snapshot(self, scopes: Sequence[str]) -> Snapshot:
        """The scopes as immutable arrays: nodes, relationships of registered types, vectors."""
        dimension = self.embedder.dimension
        port = Neo4jNeighbourhood(self.graph, dimension=dimension)
        return await export_snapshot(self.graph, port, View(tuple(scopes)), dimension=dimension)

    async def tied(
        self, snapshot: Snapshot, questions: Iterable[GoldQuestion], scopes: Sequence[str]
    ) -> list[AnsweredQuestion]:
        """The questions whose first seed entity is found, tied to the nodes of the snapshot."""
        ids = ids_by_name(snapshot)
        found = []
        for question in questions:
            seeds = await self.seeds.find(question.text, View(tuple(scopes)), limit=1)
            if seeds:
                first = seeds[0]
                span = None if first.start is None or first.end is None else (first.start, first.end)
                found.append(answered(question, first.id, span, ids))
        return found
