"""Evidence: provenance of the Curator's picks, and what is written to the graph about it.

    (:Evidence)-[:HAS_PROVENANCE]->(:Provenance)-[:FROM]->(:Source)

Evidence is keyed by a hash of scope, text and source, so that writing it again changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.knowledge.beliefs.confidence import VERIFIED_FROM, VERIFYING_SOURCES
from clause.reasoning.agents.scoring import shaped_utility
from clause.reasoning.episode.budget import Unit
from clause.reasoning.models.answer import AnswerEdge, ProvenanceMetadata, SelectedEvidence, TrustSignals
from clause.reasoning.neighbourhood.port import Edge, View
from clause.text.fields import utc_now
from clause.text.retrieval import clip01

EXTRACTOR = "ContextCurator-v3.0"
SUPPORTING_LENGTH = 200
"""Characters of `supporting_evidence`."""
PRIOR_REPUTATION = 0.5
"""Trust in a source without a track record: the mean of a Beta(1, 1)."""
HALF_LIFE_DAYS = 365.0
"""Age at which a fact's recency has halved. Ages are counted in whole days, so that an answer is the same all day."""
STATUSES = frozenset({"verified", "pending_review", "unverified"})


@dataclass(frozen=True, slots=True)
class UnitOrigin:
    """Where one unit comes from: its best known source, and how many sources say the same.

    `source_id` None: no source is known. `recorded_at` None: it came with the request.
    """

    uri: str
    scope: str
    source_id: str | None = None
    sources: int = 0
    reputation: float = PRIOR_REPUTATION
    status: str = "unverified"
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """One pick, and what is written about it. `unit` is the id of the unit it was made from."""

    id: str
    unit: str
    origin: UnitOrigin
    selected: SelectedEvidence

    def row(self, at: datetime) -> dict[str, Any]:
        """Parameters of `reasoning/write_evidence` for this pick."""
        told = self.selected.provenance
        trust = told.trust_signals if told else None
        source = self.origin.source_id or f"unknown:{self.origin.scope}"
        return {
            "id": self.id,
            "scope": self.origin.scope,
            "unit": self.unit,
            "recorded_at": at,
            "text": self.selected.text,
            "tokens": self.selected.tokens,
            "source": source,
            "provenance": _hashed("prov", self.id, source, EXTRACTOR),
            "source_uri": self.origin.uri,
            "extractor_identity": EXTRACTOR,
            "extraction_timestamp": told.extraction_timestamp if told else at,
            "supporting_evidence": shortened(self.selected.text),
            "verification_status": self.origin.status,
            "corroboration_count": self.origin.sources,
            "reputation_score": trust.reputation_score if trust else self.origin.reputation,
            "recency_score": trust.recency_score if trust else 0.0,
            "semantic_consistency": trust.semantic_consistency if trust else 0.0,
        }


class Provenance:
    """Finds out where units come from (one read) and makes evidence of them."""

    def __init__(self, graph: Graph, now: Callable[[], datetime] = utc_now) -> None:
        """`now` gives the extraction's instant."""
        self._graph = graph
        self._now = now

    async def of(
        self,
        units: Sequence[Unit],
        scores: Sequence[float],
        similarities: Sequence[float],
        *,
        price: float,
        view: View | None,
        scope: str,
    ) -> list[EvidenceRecord]:
        """Evidence with full provenance for the picked units.

        Args:
            units, scores, similarities: the picks, their relevance, and their cosine with the query [n].
            price: of 100 tokens.
            view: where triples and nodes are looked up; None when all units are bare strings.
            scope: whose bare strings are.
        """
        origins = await self._origins(units, view) if view is not None else {}
        at = self._now()
        return [
            evidence(unit, origins.get(unit.id) or _request_origin(unit, scope), score, similarity, price=price, at=at)
            for unit, score, similarity in zip(units, scores, similarities, strict=True)
        ]

    async def write(self, records: Sequence[EvidenceRecord]) -> None:
        """Write the evidence (idempotent); a run's own write carries it too, see `RunRecorder.record`."""
        if records:
            rows = evidence_rows(records, self._now())
            await self._graph.write([("reasoning/write_evidence", {"rows": rows})])

    async def _origins(self, units: Sequence[Unit], view: View) -> Mapping[str, UnitOrigin]:
        edges = [[unit.id, *unit.edge] for unit in units if unit.edge is not None]
        nodes = [[unit.id, unit.node] for unit in units if unit.edge is None and unit.node is not None]
        if not edges and not nodes:
            return {}
        rows = await self._graph.run(
            "reasoning/origins",
            edges=edges,
            nodes=nodes,
            scopes=list(view.scopes),
            hidden_sources=list(view.hidden.sources),
            verifying=VERIFYING_SOURCES,
            verified_from=VERIFIED_FROM,
        )
        return {row["unit"]: _origin(row) for row in rows}


def evidence(
    unit: Unit, origin: UnitOrigin, score: float, similarity: float, *, price: float, at: datetime
) -> EvidenceRecord:
    """One pick with its provenance; pure."""
    trust = TrustSignals(
        reputation_score=clip01(origin.reputation),
        recency_score=recency(origin.recorded_at, at),
        semantic_consistency=clip01(similarity),
    )
    metadata = ProvenanceMetadata(
        source_uri=origin.uri,
        extraction_timestamp=at,
        extractor_identity=EXTRACTOR,
        supporting_evidence=shortened(unit.text),
        verification_status=origin.status,
        corroboration_count=origin.sources,
        trust_signals=trust,
    )
    selected = SelectedEvidence(
        text=unit.text,
        tokens=unit.tokens,
        score=clip01(score),
        shaped_utility=shaped_utility(clip01(score), unit.tokens, price),
        provenance=metadata,
        node=unit.node if unit.edge is None else None,
        edge=None if unit.edge is None else _edge(unit.edge),
        source_id=origin.source_id,
    )
    return EvidenceRecord(evidence_id(unit.text, origin), unit.id, origin, selected)


def _edge(edge: Edge) -> AnswerEdge:
    return AnswerEdge(from_node=edge.source, relation=edge.relation, to_node=edge.target)


def evidence_id(text: str, origin: UnitOrigin) -> str:
    """The content hash that evidence is keyed by: its scope, text and source.

    >>> evidence_id("rain", UnitOrigin("r:1", "public")) == evidence_id("rain", UnitOrigin("r:1", "public"))
    True
    """
    return _hashed("ev", origin.scope, text, origin.source_id or origin.uri)


def own(records: Sequence[EvidenceRecord], caller: Caller, scope: str) -> list[EvidenceRecord]:
    """Evidence as this caller may write it: what comes from a scope that it only reads is noted in `scope`."""
    return [record if caller.may_write(record.origin.scope) else _moved(record, scope) for record in records]


def _moved(record: EvidenceRecord, scope: str) -> EvidenceRecord:
    origin = replace(record.origin, scope=scope)
    return replace(record, id=evidence_id(record.selected.text, origin), origin=origin)


def evidence_rows(records: Sequence[EvidenceRecord], at: datetime) -> list[dict[str, Any]]:
    """Rows of the write, each evidence once, by id (one order for every writer keeps deadlocks away)."""
    rows = {record.id: record.row(at) for record in records}
    return [rows[key] for key in sorted(rows)]


def recency(recorded_at: datetime | None, at: datetime) -> float:
    """2^(-age / half-life), the age in whole days; 1.0 for what has no date or a date to come.

    >>> recency(datetime(2025, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, 12, tzinfo=UTC))
    0.5
    """
    if recorded_at is None:
        return 1.0
    return float(2.0 ** (-max(0, (at.date() - recorded_at.astimezone(UTC).date()).days) / HALF_LIFE_DAYS))


def shortened(text: str, length: int = SUPPORTING_LENGTH) -> str:
    """At most `length` characters, cut after a whole word where there is one, and never inside a character
    (combining marks and joiners stay with what they belong to).

    >>> shortened("to be or not to be", 8)
    'to be or'
    >>> shortened("incomprehensibilities", 5)
    'incom'
    """
    if len(text) <= length:
        return text
    cut = length
    while cut > 0 and _continues(text, cut):
        cut -= 1
    head = text[: cut or length]
    if text[len(head)].isspace():
        return head.rstrip()
    at_word = max((place for place, letter in enumerate(head) if letter.isspace()), default=0)
    return head[:at_word].rstrip() or head


def _continues(text: str, place: int) -> bool:
    import unicodedata  # noqa: PLC0415 -- only for texts that are cut

    joiner = "\u200d"
    letter = text[place]
    return bool(unicodedata.combining(letter)) or letter in {joiner, "\ufe0f"} or text[place - 1] == joiner


def _request_origin(unit: Unit, scope: str) -> UnitOrigin:
    return UnitOrigin(uri=f"request:{hashlib.sha256(unit.text.encode()).hexdigest()}", scope=scope)


def _origin(row: Mapping[str, Any]) -> UnitOrigin:
    status = row["status"] if row["status"] in STATUSES else "unverified"
    return UnitOrigin(
        uri=row["uri"],
        scope=row["scope"],
        source_id=row["source_id"],
        sources=row["sources"],
        reputation=PRIOR_REPUTATION if row["reputation"] is None else row["reputation"],
        status=status,
        recorded_at=row["recorded_at"],
    )


def _hashed(prefix: str, *parts: str) -> str:
    return f"{prefix}_{hashlib.sha256(chr(10).join(parts).encode()).hexdigest()[:24]}"
