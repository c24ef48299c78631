"""Entity resolution: which entities may be one. Candidates only; whoever knows merges them."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from clause.ground import Ground
from clause.jobs.turn import Turn

PAGE = 100
NEAR = 12
LEAST = 0.45
"""Least cosine of two names to look at; what is alike decides `alike`."""
SURE = 0.93
"""Cosine of two names that makes a candidate without another sign."""

_WORD = re.compile(r"\w+")


def alike(a: str, b: str, similarity: float, shared: int) -> str | None:
    """Why two names may mean one thing; None where they may not.

    Different numbers are different things. Otherwise the same letters, an initial for a name, one name within the
    other beside something shared, or a very near meaning make a candidate.

    >>> alike("Zoë Kravitz", "Zoe  Kravitz", 0.9, 0), alike("Rocky 2", "Rocky 3", 0.99, 5)
    ('the same letters', None)
    >>> alike("J. Smith", "John Smith", 0.8, 0), alike("Loach", "Ken Loach", 0.8, 2)
    ('an initial stands for a name', 'one name is part of the other, and 2 things are shared')
    """
    one, other = _words(a), _words(b)
    if _numbers(one) != _numbers(other):
        return None
    if "".join(one) == "".join(other):
        return "the same letters"
    if _initials(one, other):
        return "an initial stands for a name"
    if shared and (set(one) < set(other) or set(other) < set(one)):
        return f"one name is part of the other, and {shared} things are shared"
    return "the names mean nearly the same" if similarity >= SURE else None


class Resolver:
    """The job `resolve_entities`: looks at every entity of a scope once."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    async def run(self, turn: Turn) -> None:
        """Look for pairs page after page; broken off, it goes on from its cursor."""
        scope = turn.job.scope
        if not turn.cursor:
            await turn.commit([("knowledge/drop_candidates", {"scope": scope})], message="looking for pairs")
        after, done = str(turn.cursor.get("after", "")), turn.job.done
        while page := await self._page(scope, after):
            after, done = str(page[-1]["id"]), done + len(page)
            rows = [row for entity in page for row in _pairs(entity)]
            kept = {"rows": rows, "scope": scope, "now": self._ground.now()}
            work = [("knowledge/keep_candidates", kept)] if rows else []
            await turn.commit(work, done=done, message="looking for pairs", cursor={"after": after})

    async def _page(self, scope: str, after: str) -> list[dict[str, Any]]:
        return await self._ground.graph.run(
            "knowledge/resolution_page", scope=scope, after=after, limit=PAGE, near=NEAR, least=LEAST
        )


def _pairs(entity: dict[str, Any]) -> list[list[Any]]:
    found = []
    for identity, name, kind, similarity, shared in entity["pairs"]:
        reason = alike(entity["name"], name, similarity, shared)
        if reason is not None and _compatible(entity["kind"], kind):
            found.append([entity["id"], identity, similarity, shared, reason])
    return found


def _compatible(kind: str, other: str) -> bool:
    return kind == other or "concept" in {kind, other}


def _words(name: str) -> list[str]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return _WORD.findall(plain)


def _numbers(words: list[str]) -> list[str]:
    return sorted(word for word in words if any(letter.isdigit() for letter in word))


def _initials(one: list[str], other: list[str]) -> bool:
    if len(one) != len(other) or len(one) < 2:
        return False
    pairs = list(zip(one, other, strict=True))
    short = [pair for pair in pairs if pair[0] != pair[1]]
    return len(short) < len(pairs) and all(min(pair, key=len) == max(pair, key=len)[0] for pair in short)
