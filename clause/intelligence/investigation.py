"""Investigates curiosity triggers: takes them by lease, asks questions from templates, searches two hops, and writes.

A finding is a relationship `related_to` between the concept and what an answer led to, with Evidence and Provenance
from the source `curiosity`: unverified, and no corroboration of anything (it only restates what the graph holds). All
findings of one trigger are written in one transaction with its completion, under its lease: a worker that dies loses
nothing, its lease expires, and nothing is done twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from clause.errors import ClauseError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.intelligence.models import InvestigationReport, TriggerState
from clause.telemetry import logger
from clause.text.names import hashed, relation_words

RELATION = "related_to"
"""The relationship type of findings."""
TEMPLATES = (
    "What is {concept} related to?",
    "What causes {concept}?",
    "Who or what made {concept}?",
    "What does {concept} have in common with others?",
)
"""Asked of every concept, beside the question that raised the curiosity."""
ALIKE = 0.75
"""Least similarity of a unit that answers a question."""
AT_ONCE = 5
LEASE_S = 60.0
FIRST_HOP, UNITS = 40, 400
"""Relationships read at each hop, and units compared with a question."""
MOST_FINDINGS = 5
EXTRACTOR = "CuriosityWorker-v1.0"
PROVENANCE: Final[Mapping[str, Any]] = {
    "extractor_identity": EXTRACTOR,
    "verification_status": "unverified",
    "corroboration_count": 0,
    "reputation_score": 0.5,
    "recency_score": 1.0,
}
"""The word of every finding's provenance for how it came about."""


@dataclass(frozen=True)
class Way:
    """Two relationships that lead from the concept to another entity.

    Attributes:
        end: where it leads.
        pattern: the concept and the words of the relationships: what a question is compared with (the names of what it
            does not know yet would hide it).
        text: the way as sentences, for evidence and for choosing among ways of one pattern.
        unit: its relationships, by ids.
    """

    end: str
    pattern: str
    text: str
    unit: str


class Investigator:
    """Works on curiosity triggers.

    Args:
        ground: the graph, the embedder and the clock.
        lease_s: how long a worker may be silent before another takes its trigger.
    """

    def __init__(self, ground: Ground, *, lease_s: float = LEASE_S) -> None:
        self._ground = ground
        self._lease_ms = round(lease_s * 1000)

    async def work(self, *, caller: Caller, most: int | None = None) -> InvestigationReport:
        """Investigate what waits, the largest errors first, until nothing does or `most` are done.

        At most five are worked on at a time.
        """
        scopes = [scope for scope in await self._ground.readable(caller, None) if caller.may_write(scope)]
        owner = self._ground.ids()
        done = findings = failed = 0
        while most is None or done + failed < most:
            room = AT_ONCE if most is None else min(AT_ONCE, most - done - failed)
            taken = await self._take(scopes, owner, room)
            if not taken:
                break
            results = await asyncio.gather(*(self._quietly(trigger, owner) for trigger in taken))
            done += sum(result is not None for result in results)
            failed += sum(result is None for result in results)
            findings += sum(result or 0 for result in results)
            if failed:
                break
        return InvestigationReport(investigated=done, findings=findings, failed=failed)

    async def state(self, *, caller: Caller) -> dict[str, int]:
        """Counts triggers that are queued, investigating and completed."""
        scopes = await self._ground.readable(caller, None)
        rows = await self._ground.graph.run("intelligence/trigger_counts", scopes=list(scopes))
        return {row["status"]: row["count"] for row in rows}

    async def triggers(self, *, caller: Caller, status: str | None = None, limit: int = 50) -> list[TriggerState]:
        """Triggers that the caller may read, newest first."""
        scopes = await self._ground.readable(caller, None)
        rows = await self._ground.graph.run("intelligence/triggers", scopes=list(scopes), status=status, limit=limit)
        return [TriggerState(**row) for row in rows]

    async def investigate(self, trigger: Mapping[str, Any], owner: str) -> int:
        """Investigate one leased trigger; how many findings it has. Does nothing when the lease went to another."""
        questions = questions_about(trigger["concept"], trigger["question"])
        found = await self._answers(trigger, questions)
        rows = [self._finding(trigger, way, similarity) for way, similarity in found]
        if rows:
            texts = [relation_words(RELATION, forward) for forward in (True, False)]
            vectors = await self._ground.embedder.embed(texts)
            described = {
                "type_id": hashed("rel_", trigger["scope"], RELATION),
                "type_text": texts[0],
                "type_inverse": texts[1],
                "type_vector": vectors[0],
                "inverse_vector": vectors[1],
                "model": self._ground.embedder.model,
            }
            rows = [{**row, **described} for row in rows]
        scope = trigger["scope"]
        at = self._ground.now()
        held, *_ = await self._ground.graph.write(
            [
                ("intelligence/hold_trigger", {"id": trigger["id"], "scope": scope, "owner": owner}),
                ("graph/register_scope", {"scope": scope, "recorded_at": at}),
                (
                    "intelligence/write_findings",
                    {
                        "id": trigger["id"],
                        "owner": owner,
                        "scope": scope,
                        "relation": RELATION,
                        "rows": rows,
                        "source": f"curiosity:{scope}",
                        "recorded_at": at,
                        "questions": questions,
                        "provenance": dict(PROVENANCE),
                    },
                ),
            ]
        )
        return len(rows) if held else 0

    async def _take(self, scopes: Sequence[str], owner: str, limit: int) -> Sequence[Mapping[str, Any]]:
        return await self._ground.graph.run(
            "intelligence/lease_triggers", scopes=[*scopes], owner=owner, lease_ms=self._lease_ms, limit=limit
        )

    async def _quietly(self, trigger: Mapping[str, Any], owner: str) -> int | None:
        try:
            return await self.investigate(trigger, owner)
        except ClauseError as error:
            logger(__name__).warning("an investigation waits for its lease to expire", reason=str(error))
            return None

    async def _answers(self, trigger: Mapping[str, Any], questions: Sequence[str]) -> list[tuple[Way, float]]:
        """The best ways to entities two hops away that answer one of the questions, and how well."""
        ways = await self._ways(trigger["concept_id"], trigger["concept"], trigger["scopes"])
        if not ways:
            return []
        patterns = list(dict.fromkeys(way.pattern for way in ways))
        asked = await self._ground.embedder.embed([*questions, *patterns])
        alike = (asked[: len(questions)] @ asked[len(questions) :].T).max(axis=0)
        close = {pattern: float(value) for pattern, value in zip(patterns, alike, strict=True) if value > ALIKE}
        ways = [way for way in ways if way.pattern in close]
        if not ways:
            return []
        said = (await self._ground.embedder.embed([way.text for way in ways])) @ asked[0]
        best: dict[str, tuple[Way, float]] = {}
        for place in np.lexsort((-said, [-close[way.pattern] for way in ways])):
            way = ways[int(place)]
            best.setdefault(way.end, (way, min(1.0, close[way.pattern])))
        return list(best.values())[:MOST_FINDINGS]

    async def _ways(self, concept: str, name: str, scopes: Sequence[str]) -> list[Way]:
        graph, dimension = self._ground.graph, self._ground.embedder.dimension
        kinds = await graph.run("reasoning/relationship_types", scopes=[*scopes], dimension=dimension)
        words = {kind["name"]: kind["text"] for kind in kinds if kind["name"] != RELATION}
        rows = await graph.run(
            "intelligence/around_concept",
            concept=concept,
            scopes=[*scopes],
            types=sorted(words),
            first=FIRST_HOP,
            limit=UNITS,
        )
        direct = {row["ends"][1] for row in rows if len(row["edges"]) == 1}
        return [
            Way(
                row["ends"][1],
                " ".join([name, *(words[edge[1]] for edge in row["edges"])]),
                " ".join(
                    f"{names[0]} {words[edge[1]]} {names[1]}."
                    for edge, names in zip(row["edges"], row["names"], strict=True)
                ),
                ";".join("|".join(edge) for edge in row["edges"]),
            )
            for row in rows
            if len(row["edges"]) > 1 and row["ends"][1] not in direct
        ]

    @staticmethod
    def _finding(trigger: Mapping[str, Any], way: Way, similarity: float) -> dict[str, Any]:
        evidence = hashed("ev_", trigger["scope"], way.text, f"curiosity:{trigger['scope']}")
        return {
            "head": trigger["concept_id"],
            "tail": way.end,
            "relation": RELATION,
            "similarity": similarity,
            "text": way.text,
            "supporting": way.text[:200],
            "unit": way.unit,
            "evidence_id": evidence,
            "provenance_id": hashed("prov_", evidence, EXTRACTOR),
        }


def questions_about(concept: str, question: str) -> list[str]:
    """Three to five questions: the one that raised the curiosity, and the templates about the concept.

    >>> questions_about("Heat", "who directed Heat")[:2]
    ['who directed Heat', 'What is Heat related to?']
    """
    return [question, *(template.format(concept=concept) for template in TEMPLATES)]
