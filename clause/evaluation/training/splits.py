"""What is kept from training: wordings, types of relationships, and the names that types are called in tests."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from clause.errors import BadInputError
from clause.evaluation.metaqa import type_pattern
from clause.evaluation.questions import Question
from clause.policy.wording import plain_text
from clause.reasoning.neighbourhood import RelationshipType
from clause.text.embedder import Embedder

RENAMED = Path(__file__).parent / "renamed.tsv"
HELD_OUT_SHARE = 3
"""One wording in so many is kept from training."""

STEM = 4
"""Letters by which a question's word and a type's word count as the same."""


def is_held_out(question: Question, seed: int = 0) -> bool:
    """Whether the question's wording (its text without the topic) is kept from training; a third of them are.

    >>> len({is_held_out(Question(f"who directed {name}", (), name)) for name in ("Heat", "Ali")})
    1
    """
    digest = hashlib.sha256(f"{seed} {question.masked}".encode()).digest()
    return digest[0] % HELD_OUT_SHARE == 0


def types_of(question: Question) -> frozenset[str]:
    """The relationship types that the question's type names; empty where it has none."""
    return frozenset(hop.relation for hop in type_pattern(question.kind)) if question.kind else frozenset()


def has_wording(question: Question, seed: int) -> bool:
    """Whether training may have the question's wording."""
    return not is_held_out(question, seed)


def needs_not(question: Question, relation: str) -> bool:
    """Whether the question can be answered without a relationship type."""
    return relation not in types_of(question)


def has_cue(question: Question, relation: str) -> bool:
    """Whether a word of the question begins as a word of the type's name does.

    >>> has_cue(Question("who directed Heat", (), "Heat"), "directed_by")
    True
    >>> has_cue(Question("how popular was Heat", (), "Heat"), "has_imdb_votes")
    False
    """
    stems = {word[:STEM] for word in relation.split("_") if len(word) >= STEM}
    return any(word[:STEM] in stems for word in question.masked.lower().split())


def names_of_tests(path: Path = RENAMED) -> dict[str, tuple[str, str]]:
    """What relationship types are called in tests, forward and backward: never among the names of training.

    Raises:
        BadInputError: a line is not `relation<TAB>other name`.
    """
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise BadInputError(f"{path.name}, line {number}: a relation and its other name are needed")
        found[cells[0]] = plain_text(cells[1], True), plain_text(cells[1], False)
    return found


async def renamed(
    types: Mapping[str, RelationshipType], names: Mapping[str, tuple[str, str]], embedder: Embedder
) -> dict[str, RelationshipType]:
    """The types under other names, with the vectors of those; a type without another name stays as it is."""
    known = [name for name in types if name in names]
    vectors = await embedder.embed([text for name in known for text in names[name]])
    found = dict(types)
    for place, name in enumerate(known):
        text, inverse = names[name]
        forward, backward = vectors[2 * place], vectors[2 * place + 1]
        found[name] = replace(
            types[name], text=text, inverse_text=inverse, embedding=forward, inverse_embedding=backward
        )
    return found
