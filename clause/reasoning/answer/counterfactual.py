"""Counterfactual answers: finds what a question is answered without, and compares the answers with and without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from clause.errors import NotFoundError, OutOfBoundsError
from clause.graph.runner import Graph
from clause.knowledge.beliefs.rows import floors_as_of
from clause.reasoning.models.answer import Answer, CoordinationResult, TextFilters
from clause.reasoning.models.coordination import AnswerChange, CoordinationResponse, Counterfactual, Withheld
from clause.reasoning.neighbourhood.port import Edge, Hidden, View
from clause.reasoning.question.seeds import SeedFinder

MOST_TEXTS = 10_000
"""Texts that one request may leave out."""
MOST_FILTERED, CROWD = 100_000, 5
"""Texts that filters may leave out, and how many times as many recall then looks at."""
DEEPEST = 10
"""Steps of derivation that what rests on a text is followed over."""
LEAST_MOVE = 0.005
"""A score that moved less is the same: it is shown with two decimals."""


class Withholding:
    """Finds what is left out when sources, beliefs or triples are.

    A text is left out when it is named, when every source that says it is, or when all that it was derived from is and
    nobody else says it; the passages of a document go with its source. A triple goes with its source.

    Args:
        graph: where all that is.
        finder: finds the ends of triples by name.
    """

    def __init__(self, graph: Graph, finder: SeedFinder) -> None:
        self._graph = graph
        self._finder = finder

    async def of(self, without: Withheld, view: View) -> Hidden:
        """Find what a view leaves out.

        Raises:
            NotFoundError: a source, belief or triple is not there for this view.
            AmbiguousNameError: several entities have the name of a triple's end.
            OutOfBoundsError: more texts rest on it than one request may leave out.
        """
        sources, texts = await self._named(without, view)
        edges = await self._edges(without, view)
        texts = await self._fallen(sources, texts, view)
        return Hidden(tuple(sorted(sources)), tuple(sorted(texts)), edges)

    async def passing(self, filters: TextFilters | None, view: View) -> tuple[View, Mapping[str, int]]:
        """A view of the texts that pass filters, and how many each filter left out.

        Raises:
            OutOfBoundsError: more texts than one request may leave out.
        """
        if filters is None:
            return view, {}
        rows = await self._graph.run(
            "reasoning/texts_left_out",
            scopes=[*view.scopes],
            kinds=[*filters.kinds],
            **floors_as_of(filters.floors.given, view.as_of_recorded),
            since=filters.since,
            until=filters.until,
            limit=MOST_FILTERED + 1,
        )
        if len(rows) > MOST_FILTERED:
            raise OutOfBoundsError(
                "the filters leave out too many texts",
                field="texts",
                bound=f"{MOST_FILTERED:,} texts; name fewer scopes",
            )
        hidden = Hidden(texts=tuple(row["id"] for row in rows), crowd=CROWD)
        return replace(view, hidden=hidden), Counter(row["filter"] for row in rows)

    async def _named(self, without: Withheld, view: View) -> tuple[set[str], set[str]]:
        sources: set[str] = set()
        texts: set[str] = set()
        for field, given in (("sources", without.sources), ("beliefs", without.beliefs)):
            rows = await self._graph.run(
                "reasoning/withheld", names=given, sources=field == "sources", scopes=[*view.scopes]
            )
            found = {row["name"]: row for row in rows}
            if missing := [name for name in given if name not in found]:
                what = "source" if field == "sources" else "belief"
                raise NotFoundError(
                    f"no {what} {missing[0][:80]!r}",
                    remedy="name it as the evidence of an answer does: by `source_id`, `source_uri` or `node`",
                    field=f"without.{field}",
                )
            for row in rows:
                (sources if row["is_source"] else texts).add(row["id"])
        return sources, texts

    async def _edges(self, without: Withheld, view: View) -> tuple[Edge, ...]:
        ends = [name for edge in without.edges for name in (edge.source, edge.target)]
        try:
            named = await self._finder.named(list(dict.fromkeys(ends)), view)
        except NotFoundError as error:
            error.field = "without.edges"
            raise
        edges = [Edge(named[one.source].id, one.relation, named[one.target].id) for one in without.edges]
        rows = await self._graph.run("reasoning/are_triples", edges=[[*edge] for edge in edges], scopes=[*view.scopes])
        known = {Edge(*row["edge"]) for row in rows}
        for edge, given in zip(edges, without.edges, strict=True):
            if edge not in known:
                raise NotFoundError(
                    f"no triple {given.source[:80]} --{given.relation[:80]}--> {given.target[:80]}",
                    remedy="name it from head to tail, with the relationship type as stored",
                    field="without.edges",
                )
        return tuple(sorted(known))

    async def _fallen(self, sources: set[str], texts: set[str], view: View) -> set[str]:
        gone = set(texts)
        for _ in range(DEEPEST):
            rows = await self._graph.run(
                "reasoning/fallen",
                sources=sorted(sources),
                texts=sorted(gone),
                scopes=[*view.scopes],
                limit=MOST_TEXTS + 1,
            )
            gone |= {row["id"] for row in rows}
            if len(gone) > MOST_TEXTS:
                raise OutOfBoundsError(
                    "too many texts rest on what is to be left out",
                    field="without",
                    bound=f"at most {MOST_TEXTS:,} texts",
                    remedy="leave out single beliefs, or a smaller source",
                )
            if not rows:
                break
        return gone


def answer_changes(before: CoordinationResult, after: CoordinationResult) -> tuple[AnswerChange, ...]:
    """The answers that went, came, or are scored otherwise, in this order; withheld answers are none."""
    old, new = _told(before), _told(after)
    went = [_change("went", one, before=one.answer_score) for key, one in old.items() if key not in new]
    came = [_change("came", one, after=one.answer_score) for key, one in new.items() if key not in old]
    moved = [
        _change("score", one, before=old[key].answer_score, after=one.answer_score)
        for key, one in new.items()
        if key in old and abs(one.answer_score - old[key].answer_score) > LEAST_MOVE
    ]
    return (*went, *came, *moved)


def compared(
    without: Withheld, hidden: Hidden, given: CoordinationResponse, other: CoordinationResponse
) -> Counterfactual:
    """The answer without something, beside the one with it, and what that changes."""
    changes = answer_changes(given.result, other.result)
    return Counterfactual(
        without=without,
        hidden_texts=len(hidden.texts),
        same=not changes or all(change.kind == "score" for change in changes),
        changes=changes,
        result=other.result,
        agent_handoffs=other.agent_handoffs,
        performance=other.performance,
        receipt=other.receipt,
        answer_sha256=other.answer_sha256,
    )


def _told(result: CoordinationResult) -> dict[tuple[str | None, str], Answer]:
    answers: Sequence[Answer] = () if result.abstained else result.answers
    return {(one.node, one.name): one for one in answers}


def _change(kind: str, answer: Answer, **scores: float) -> AnswerChange:
    return AnswerChange.model_validate({"kind": kind, "node": answer.node, "name": answer.name, **scores})
