"""What is told of a finished episode: evidence with provenance, the receipt, and the recorded run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from clause.graph.scopes import Caller
from clause.reasoning.actions import Agent, Pick
from clause.reasoning.episode import Episode
from clause.reasoning.evidence import EvidenceRecord, Provenance
from clause.reasoning.finished import Finished
from clause.reasoning.models import CoordinationRequest, CoordinationResponse, SelectedEvidence
from clause.reasoning.policy import LeftOut, Question
from clause.reasoning.pool import unit_vectors
from clause.reasoning.receipts import make_receipt
from clause.reasoning.run_record import RunRecord, RunSeed, digest_of
from clause.reasoning.runs import RunRecorder
from clause.reasoning.steps import step_records


class Reporter:
    """Tells what an episode found and writes it down after the answer, never before it.

    Args:
        provenance: finds out where evidence comes from.
        runs: writes runs in the background.
        default_scope: whose a run is that read several scopes (where the caller may write it), and whose bare strings
            are.
        enabled: whether runs are recorded at all.
    """

    def __init__(
        self, provenance: Provenance, runs: RunRecorder, *, default_scope: str = "public", enabled: bool = True
    ) -> None:
        self._provenance = provenance
        self._runs = runs
        self._default_scope = default_scope
        self._enabled = enabled

    async def evidence(self, finished: Finished) -> tuple[list[EvidenceRecord], float]:
        """The picked units with full provenance, in the order of picking, and the milliseconds that it took."""
        started = time.perf_counter()
        episode, question = finished.episode, finished.asked.question
        view = finished.asked.view
        records = await self._provenance.of(
            [episode.pool[place] for place in episode.picked],
            *_scores(episode, question),
            price=question.prices.token,
            view=view,
            scope=self._scope(view.scopes),
        )
        return records, (time.perf_counter() - started) * 1000

    async def curated(
        self, episode: Episode, question: Question, *, caller: Caller, enable: bool
    ) -> tuple[list[SelectedEvidence], float]:
        """The picks of /curate. Their evidence is written to the default scope where the caller may write there."""
        started = time.perf_counter()
        records = await self._provenance.of(
            [episode.pool[place] for place in episode.picked],
            *_scores(episode, question),
            price=question.prices.token,
            view=None,
            scope=self._default_scope,
        )
        if enable and self._enabled and caller.may_write(self._default_scope):
            self._runs.later(None, records)
        return shown(records, enable=enable), (time.perf_counter() - started) * 1000

    def receipt(self, finished: Finished) -> dict[str, Any]:
        """For each resource: budget, spent, price, what stopped its agent, and the best thing left out."""
        steps = step_records(finished.episode.log, finished.episode.pool, _left_out(finished))
        budgets, prices = finished.episode.budgets, finished.asked.question.prices
        return make_receipt(steps, budgets, prices).model_dump(mode="json")

    def record(
        self,
        request: CoordinationRequest,
        finished: Finished,
        response: CoordinationResponse,
        evidence: Sequence[EvidenceRecord],
        caller: Caller,
    ) -> CoordinationResponse:
        """The response with its run's id; the run is written in the background."""
        scopes = finished.asked.view.scopes
        scope = scopes[0] if len(scopes) == 1 else caller.home(self._default_scope)
        if not (self._enabled and caller.may_write(scope)):
            return response
        kept = evidence if request.enable_provenance else ()
        if not request.record:
            self._runs.later(None, kept)
            return response
        run = self._run(request, finished, response, kept, scope)
        self._runs.later(run, kept)
        return response.model_copy(update={"run_id": run.id})

    def _run(
        self,
        request: CoordinationRequest,
        finished: Finished,
        response: CoordinationResponse,
        evidence: Sequence[EvidenceRecord],
        scope: str,
    ) -> RunRecord:
        asked, episode = finished.asked, finished.episode
        return RunRecord(
            id=self._runs.ids(),
            scope=scope,
            scopes=asked.view.scopes,
            query=request.query,
            request=request.model_dump(mode="json"),
            digest=digest_of(response),
            policy=finished.policy.name,
            seeds=tuple(RunSeed(id=s.id, name=s.name, score=s.score, reason=s.reason) for s in asked.seeds),
            budgets=episode.budgets,
            prices=asked.question.prices,
            as_of_valid=asked.view.as_of_valid,
            as_of_recorded=asked.view.as_of_recorded,
            recorded_at=self._runs.now(),
            steps=tuple(step_records(episode.log, episode.pool, _left_out(finished))),
            evidence=tuple(record.id for record in evidence),
            fallbacks=finished.fallbacks,
        )

    def _scope(self, scopes: Sequence[str]) -> str:
        return scopes[0] if len(scopes) == 1 else self._default_scope


def shown(records: Sequence[EvidenceRecord], *, enable: bool) -> list[SelectedEvidence]:
    """Evidence as a response shows it; the provenance field is null where it was not asked for."""
    if enable:
        return [record.selected for record in records]
    return [record.selected.model_copy(update={"provenance": None}) for record in records]


def _scores(episode: Episode, question: Question) -> tuple[list[float], list[float]]:
    """(scores, cosines with the query) of the picks: a policy's own score where it gave one, else the cosine."""
    units = [episode.pool[place] for place in episode.picked]
    similarities = [float(value) for value in unit_vectors(units, question) @ question.embedding]
    given = {step.action.unit: step.score for step in episode.log if isinstance(step.action, Pick)}
    scores = [
        similarity if (score := given.get(place)) is None else score
        for place, similarity in zip(episode.picked, similarities, strict=True)
    ]
    return scores, similarities


def _left_out(finished: Finished) -> dict[Agent, list[LeftOut | None]]:
    return {agent: [turn.left_out for turn in turns] for agent, turns in finished.turns.items()}
