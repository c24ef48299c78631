"""The two statements of seed finding, over rows in memory; passes `tests/contract/seed_checks.py` as Neo4j does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from clause.text.mentions import folded_key


class SeedGraph:
    """Entities as rows, triples by name; full text is any word of the query that a name or alias nearly has."""

    def __init__(self, rows: Sequence[dict[str, Any]], triples: Sequence[tuple[str, str, str]]) -> None:
        self.rows = rows
        self.triples = triples
        self.round_trips = 0

    async def run(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        self.round_trips += 1
        seen = [row for row in self.rows if row["scope"] in parameters["scopes"]]
        return (
            self._vectors(seen, **parameters) if name == "reasoning/seed_vectors" else self._names(seen, **parameters)
        )

    def _names(self, rows, *, ids, keys, words, limit, **_):
        wanted = {folded_key(word)[:4] for word in re.findall(r"\w+", words.split(" +(", 1)[-1]) if len(word) > 2}
        found = []
        for row in rows:
            said = {
                folded_key(word)[:4] for text in (row["name"], *row["aliases"]) for word in re.findall(r"\w+", text)
            }
            relevance = float(len(said & wanted))
            if row["id"] in ids or row["name_key"] in keys or relevance:
                found.append({**row, "hops": self._hops(row["name"]), "relevance": relevance})
        return sorted(found, key=lambda row: (-row["relevance"], -row["degree"], row["id"]))

    def _hops(self, name: str) -> list[str]:
        forward = {f">{relation}" for head, relation, _ in self.triples if head == name}
        return sorted(forward | {f"<{relation}" for _, relation, tail in self.triples if tail == name})

    def _vectors(self, rows, *, embedding, limit, **_):
        found = [{**row, "similarity": float(np.dot(row["embedding"], embedding))} for row in rows]
        return sorted(found, key=lambda row: (-row["similarity"], row["id"]))[:limit]
