"""Everyday pairs, judged as the service does: `python -m tests.worlds.kept_pairs [FILE ...]` prints counts.

`pairs/tuned_on.txt` was looked at; of `pairs/kept_aside.txt` only counts were. Both were written by hand before the
rules. Nobody says of what the pairs speak: the texts alone do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from clause.knowledge.tension_detection import CLOSE, Held, detect
from clause.text.embedder import SentenceTransformerEmbedder
from clause.text.statements.guards import may_merge
from clause.text.statements.pair_classifier import read_beside

FOLDER = Path(__file__).parent / "pairs"
FILES = (FOLDER / "tuned_on.txt", FOLDER / "kept_aside.txt")
Pair = tuple[str, str]
Counts = dict[str, dict[str, int]]


def told(file: Path) -> dict[str, list[Pair]]:
    """The pairs of a file by kind: opposites, contradict, go together, same."""
    kinds: dict[str, list[Pair]] = {}
    rows: list[Pair] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            rows = kinds.setdefault(line.removeprefix("== "), [])
        elif " | " in line:
            first, second = line.split(" | ")
            rows.append((first, second))
    return kinds


async def counted(file: Path) -> Counts:
    """How many pairs of each kind there are, would be one belief, and would raise a tension."""
    embedder = SentenceTransformerEmbedder()
    found: Counts = {}
    for kind, pairs in told(file).items():
        vectors = await embedder.embed([text for pair in pairs for text in pair])
        counts = found[kind] = {"n": len(pairs), "merged": 0, "tensions": 0}
        for place, (a, b) in enumerate(pairs):
            u, v = vectors[2 * place], vectors[2 * place + 1]
            near = (u, v) if u @ v >= CLOSE else None  # the service reads no vectors of those farther away
            (meaning,) = read_beside(a, [(b, float(u @ v))])
            tension = detect(Held(a, 0.8), Held(b, 0.8), float(u @ v), near, meaning) is not None
            counts["tensions"] += tension
            counts["merged"] += not tension and may_merge(a, b, float(u @ v), vectors=(u, v)).allowed
    embedder.close()
    return found


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("files", type=Path, nargs="*", default=FILES)
    for one in words.parse_args().files:
        sys.stdout.write(json.dumps({one.stem: asyncio.run(counted(one))}) + "\n")
