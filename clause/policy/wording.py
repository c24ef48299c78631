"""How the learned policy reads words: questions with their mention masked, relationship types in both directions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from clause.errors import BadInputError
from clause.reasoning.neighbourhood import Hop

MASK = "it"
"""What stands in a question where its topic was named (policy.md)."""

MAX_WORDS = 24
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PARAPHRASES = Path(__file__).parent / "paraphrases.tsv"


def mask(text: str, start: int | None, end: int | None) -> str:
    """`text` with `text[start:end]` replaced by "it"; unchanged where the span is unknown.

    >>> mask("who directed Heat", 13, 17)
    'who directed it'
    """
    return text if start is None or end is None else f"{text[:start]}{MASK}{text[end:]}"


def words(text: str) -> tuple[str, ...]:
    """The words of a masked question in lower case, at most 24; never empty.

    >>> words("Who directed it?")
    ('who', 'directed', 'it')
    """
    return tuple(word.lower() for word in _WORD.findall(text))[:MAX_WORDS] or (MASK,)


def plain_text(relation: str, forward: bool) -> str:
    """A relationship type in words when nothing else is known of it.

    >>> plain_text("directed_by", True), plain_text("directed_by", False)
    ('directed by', 'inverse of directed by')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", relation).replace("_", " ").strip().lower()
    return spaced if forward else f"inverse of {spaced}"


@lru_cache(maxsize=1)
def paraphrases() -> dict[Hop, tuple[str, ...]]:
    """Training names of relationship types, by type and direction; types no question is about are distractors.

    Raises:
        BadInputError: a line of the packaged table is not `relation<TAB>direction<TAB>text|text`.
    """
    table: dict[Hop, tuple[str, ...]] = {}
    for number, line in enumerate(_PARAPHRASES.read_text(encoding="utf-8").splitlines(), start=1):
        cells = line.split("\t")
        if len(cells) != 3 or cells[1] not in (">", "<"):
            raise BadInputError(f"paraphrases.tsv, line {number}: relation, direction and texts are needed")
        table[Hop(cells[0], cells[1] == ">")] = tuple(cells[2].split("|"))
    return table


def training_texts(relations: Sequence[str]) -> dict[Hop, tuple[str, ...]]:
    """The texts that training draws from for each hop of `relations`, its plain text first; then the distractors.

    A backward hop is also called by its forward names' inverses, as a type that nobody described would be.

    >>> training_texts(["knows"])[Hop("knows", True)]
    ('knows',)
    """
    known = paraphrases()
    own = [Hop(relation, forward) for relation in relations for forward in (True, False)]
    texts = {hop: (plain_text(*hop), *known.get(hop, ()), *_inverses(hop, known)) for hop in own}
    distractors = {hop: (plain_text(*hop), *names) for hop, names in known.items() if hop.relation.startswith("other_")}
    return texts | {hop: names[1:] for hop, names in distractors.items()}


def _inverses(hop: Hop, known: Mapping[Hop, Sequence[str]]) -> tuple[str, ...]:
    return () if hop.forward else tuple(plain_text(name, False) for name in known.get(hop.inverse, ()))
