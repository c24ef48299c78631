"""Everyday statements with real embeddings: opposites are never merged, and tensions are found where there are some."""

from __future__ import annotations

from pathlib import Path

import pytest

from clause.arrays import Floats
from clause.knowledge.tension_detection import Held, detect
from clause.text.embedder import SentenceTransformerEmbedder
from clause.text.statements.guards import may_merge
from tests.worlds.kept_pairs import FILES, FOLDER, counted

pytestmark = pytest.mark.slow

FILE = Path(__file__).with_name("everyday_pairs.txt")
Pair = tuple[str, str, Floats, Floats]


def told() -> dict[str, list[tuple[str, str]]]:
    """The pairs of the file by kind."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            kinds[line.removeprefix("== ")] = rows = []
        elif " | " in line:
            first, second = line.split(" | ")
            rows.append((first, second))
    return kinds


@pytest.fixture(scope="module")
async def pairs() -> dict[str, list[Pair]]:
    """The same with their embeddings."""
    embedder = SentenceTransformerEmbedder()
    found = {}
    for kind, rows in told().items():
        vectors = await embedder.embed([text for row in rows for text in row])
        found[kind] = [(a, b, vectors[2 * i], vectors[2 * i + 1]) for i, (a, b) in enumerate(rows)]
    embedder.close()
    return found


def tension(pair: Pair) -> bool:
    """Whether two beliefs that open with the same words, so that their subject is one, contradict each other."""
    first, second, u, v = pair
    one = first.split()[:2] == second.split()[:2] or (first.split()[0] == second.split()[0] != "The")
    subjects = frozenset({"it"}) if one else frozenset()
    return detect(Held(first, 0.8, subjects), Held(second, 0.8, subjects), float(u @ v), (u, v)) is not None


async def test_opposites_are_never_merged(pairs: dict[str, list[Pair]]) -> None:
    merged = [(a, b) for a, b, u, v in pairs["opposites"] if may_merge(a, b, float(u @ v), vectors=(u, v)).allowed]
    assert merged == []


async def test_tensions_are_found_and_rarely_made_up(pairs: dict[str, list[Pair]]) -> None:
    found = sum(map(tension, pairs["contradict"]))
    false = sum(map(tension, pairs["go together"]))
    assert found >= 0.8 * len(pairs["contradict"])
    assert found / (found + false) >= 0.9


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_everyday_pairs_of_which_half_was_kept_aside(file: Path) -> None:
    """Opposites never become one belief; tensions by the texts alone: no entity says whom they are about."""
    counts = await counted(file)
    assert counts["opposites"]["merged"] == counts["contradict"]["merged"] == counts["go together"]["merged"] == 0
    found, false = counts["contradict"]["tensions"], counts["go together"]["tensions"] + counts["same"]["tensions"]
    assert found >= 0.8 * counts["contradict"]["n"]
    assert found >= 0.9 * (found + false)
    assert counts["same"]["merged"] >= 0.7 * counts["same"]["n"]


@pytest.mark.parametrize(("half", "least"), [("looked_at", 0.7), ("kept_aside", 0.5)])
async def test_pairs_of_another_hand(half: str, least: float) -> None:
    """About half of what a stranger writes is found; what is found holds, and nothing is merged that should not be."""
    counts = await counted(FOLDER / f"third_hand_{half}.txt")
    assert counts["opposites"]["merged"] == counts["contradict"]["merged"] == counts["go together"]["merged"] == 0
    found, false = counts["contradict"]["tensions"], counts["go together"]["tensions"] + counts["same"]["tensions"]
    assert found >= least * counts["contradict"]["n"]
    assert found >= 0.9 * (found + false)
