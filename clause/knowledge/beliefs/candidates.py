"""The look around before a statement becomes a belief: who says the same already, and who says the contrary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from clause.arrays import Floats
from clause.ground import Ground
from clause.knowledge.beliefs.models import CandidateVerdict
from clause.knowledge.tension_detection import CLOSE, Contradiction, Held, detect, overlap
from clause.text.statements.guards import CANDIDATE, NEAR, Vectors, may_merge
from clause.text.statements.pair_classifier import read_beside

NEAREST: Final = 24
"""Near beliefs that are looked at."""

NEVER_TOLD: Final[Mapping[str, Any]] = {"recalled_in": (), "told_to": ()}
"""To whom a belief was told that nobody has recalled."""


@dataclass(frozen=True)
class Newcomer:
    """A statement that is about to be held, or a belief that is looked at again.

    Attributes:
        held: what it says, about whom, for when.
        scope, content_hash: whose it is, and its text's hash.
        embedding: of its text [d].
        id: of a belief that is in the graph already: it is no candidate of its own.
    """

    held: Held
    scope: str
    content_hash: str
    embedding: Floats
    id: str | None = None


@dataclass(frozen=True)
class Surroundings:
    """The findings around a statement.

    Attributes:
        same: the id of the belief that says the same; None: nobody does.
        exact: whether it does so in the same words.
        told: to whom that belief was told: `recalled_in`, sessions, and `told_to`, authors with instants.
        verdicts: what was decided about each near belief, nearest first.
        contradictions: belief id -> contradiction.
        repeats: beliefs with a lineage that said the same words and are held no longer: saying them anew is no new
            ground under them.
    """

    same: str | None = None
    exact: bool = False
    told: Mapping[str, Any] = field(default_factory=lambda: NEVER_TOLD)
    verdicts: tuple[CandidateVerdict, ...] = ()
    contradictions: Mapping[str, Contradiction] = field(default_factory=dict)
    repeats: tuple[str, ...] = ()


async def surroundings(ground: Ground, newcomer: Newcomer) -> Surroundings:
    """Look around a statement: one read, then the guards in the thread pool."""
    rows = await ground.graph.run(
        "knowledge/candidates",
        scope=newcomer.scope,
        content_hash=newcomer.content_hash,
        embedding=newcomer.embedding,
        dimension=ground.embedder.dimension,
        limit=NEAREST,
        least=NEAR,
        vectors_from=CLOSE,
    )
    if not (others := [row for row in rows if row["id"] != newcomer.id]):
        return Surroundings()
    return await ground.pool.run(judge, newcomer, others)


def judge(newcomer: Newcomer, rows: Sequence[Mapping[str, Any]]) -> Surroundings:
    """Judge which near belief says the same, and which contradict: the conflict scan runs before any merge."""
    held = [row for row in rows if row["held"]]
    contradictions = _contradictions(newcomer, held)
    verdicts = []
    same: Mapping[str, Any] | None = None
    for row in held:
        if row["similarity"] <= CANDIDATE:
            continue
        exact = row["content_hash"] == newcomer.content_hash
        vectors, found = _vectors(newcomer, row), contradictions.get(row["id"])
        reasons = _against(newcomer.held, held_of(row), row["similarity"], vectors, exact=exact, found=found)
        if same is None and not reasons:
            same = row
        verdicts.append(
            CandidateVerdict(belief_id=row["id"], similarity=row["similarity"], same=not reasons, reasons=reasons)
        )
    return Surroundings(
        same=None if same is None else same["id"],
        exact=same is not None and same["content_hash"] == newcomer.content_hash,
        told=NEVER_TOLD if same is None else {name: same[name] for name in NEVER_TOLD},
        verdicts=tuple(verdicts),
        contradictions=contradictions,
        repeats=tuple(row["id"] for row in rows if not row["held"]),
    )


def _contradictions(newcomer: Newcomer, rows: Sequence[Mapping[str, Any]]) -> dict[str, Contradiction]:
    """Those of beliefs that contradict a statement, by rule or by what both mean."""
    others = [row for row in rows if row["content_hash"] != newcomer.content_hash]
    meanings = dict.fromkeys((row["id"] for row in others), 0.0)
    if len(others) == len(rows):  # else the same words were read when they came
        near = [row for row in others if overlap(newcomer.held.valid, held_of(row).valid)]
        read = read_beside(newcomer.held.content, [(row["content"], row["similarity"]) for row in near])
        meanings |= zip((row["id"] for row in near), read, strict=True)
    found = {
        row["id"]: detect(
            newcomer.held, held_of(row), row["similarity"], _vectors(newcomer, row), meaning=meanings[row["id"]]
        )
        for row in others
    }
    return {key: told for key, told in found.items() if told is not None}


def _vectors(newcomer: Newcomer, row: Mapping[str, Any]) -> Vectors | None:
    return None if row["embedding"] is None else (newcomer.embedding, row["embedding"])


def held_of(row: Mapping[str, Any]) -> Held:
    """Take from the row of a belief what the detection reads of it."""
    return Held(
        content=row["content"],
        overall=row["overall"],
        subjects=frozenset(row["subjects"]),
        domain_path=tuple(row["domain_path"] or ()),
        valid=(row["valid_from"], row["valid_until"]),
    )


def _against(
    mine: Held,
    other: Held,
    similarity: float,
    vectors: Vectors | None,
    *,
    exact: bool,
    found: Contradiction | None,
) -> tuple[str, ...]:
    """List the reasons against taking two statements for one."""
    if not compatible(mine.valid, other.valid):
        return ("valid times differ",)
    if found is not None:
        return found.signals
    return () if exact else may_merge(mine.content, other.content, similarity, vectors=vectors).reasons


def compatible(first: tuple[datetime | None, datetime | None], second: tuple[datetime | None, datetime | None]) -> bool:
    """Tell whether statements of these valid times may be one: they overlap, and starts or ends that both say agree.

    >>> from datetime import UTC
    >>> year = lambda n: datetime(n, 1, 1, tzinfo=UTC)
    >>> compatible((year(2010), None), (None, None)), compatible((year(2010), None), (year(2011), None))
    (True, False)
    """
    agree = all(a is None or b is None or a == b for a, b in zip(first, second, strict=True))
    return agree and overlap(first, second)


def pair_key(first: str, second: str) -> str:
    """Make the key that is unique for the tension of two beliefs, whichever is named first.

    >>> pair_key("b", "a")
    'a|b'
    """
    return "|".join(sorted((first, second)))
