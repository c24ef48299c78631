"""From question files to what training takes: the packaged graph as a snapshot, and questions about its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from clause.evaluation.questions import Question, open_text
from clause.reasoning.snapshot import Snapshot
from clause.sample.files import KB
from clause.text.embedder import Embedder, SentenceTransformerEmbedder

if TYPE_CHECKING:
    from clause.policy.lessons import Answered
    from clause.policy.recipe import Recipe
    from clause.policy.trainer import Material


def packaged() -> tuple[Snapshot, Embedder]:
    """The packaged sample of the graph, without any server, and the embedder that it is read with."""
    with open_text(KB) as lines:
        triples = [tuple(line.rstrip("\r\n").split("|")) for line in lines if line.count("|") == 2]
    names = {end: end for head, _, tail in triples for end in (head, tail)}
    return Snapshot.build(names, [(head, kind, tail) for head, kind, tail in triples]), SentenceTransformerEmbedder()


def drawn_for(snapshot: Snapshot, embedder: Embedder, sets: Iterable[Sequence[Question]], recipe: Recipe) -> Material:
    """What a recipe trains on: as many questions of each set as it wants."""
    asked = chain.from_iterable(draw(questions, recipe) for questions in sets)
    return with_types(snapshot, embedder, bracketed(snapshot, asked))


def draw(questions: Sequence[Question], recipe: Recipe) -> list[Question]:
    """As many of one file's questions as the recipe clones, by its seed."""
    count = recipe.cloning.questions_per_file
    order = np.random.default_rng(recipe.seed).permutation(len(questions))[:count]
    return [questions[place] for place in order.tolist()]


def bracketed(snapshot: Snapshot, questions: Iterable[Question]) -> list[Answered]:
    """The questions whose topic entity is named in the file and is a node of the graph."""
    ids = ids_by_name(snapshot)
    found = []
    for question in questions:
        if question.entity is not None and question.entity in ids:
            start = question.text.find(question.entity)
            span = (start, start + len(question.entity)) if start >= 0 else None
            found.append(answered(question, ids[question.entity], span, ids))
    return found


def answered(question: Question, seed: str, span: tuple[int, int] | None, ids: Mapping[str, str]) -> Answered:
    """A question about the node `seed`, which `span` of its text names, with its answers as nodes."""
    from clause.policy.lessons import Answered  # noqa: PLC0415 -- the policy's room imports torch, which takes seconds

    known = frozenset(ids[name] for name in question.answers if name in ids)
    start, end = span or (None, None)
    return Answered(question.text, seed, start, end, known, len(question.answers) - len(known))


def ids_by_name(snapshot: Snapshot) -> dict[str, str]:
    """The first node of each name."""
    return dict(zip(reversed(snapshot.names), reversed(snapshot.ids), strict=True))


def with_types(snapshot: Snapshot, embedder: Embedder, asked: Sequence[Answered]) -> Material:
    """Material whose relationship types all have vectors: plain ones where nobody described them."""
    from clause.policy.lessons import plain_types  # noqa: PLC0415 -- as above
    from clause.policy.trainer import Material  # noqa: PLC0415

    types = {name: kind for name, kind in snapshot.types.items() if kind.embedding.any()}
    lacking = [relation for relation in snapshot.relations if relation not in types]
    types |= plain_types(lacking, embedder) if lacking else {}
    return Material(replace(snapshot, types=types), asked, embedder)
