"""A recorded run again: with the same clocks, or as of another time, and why its answers are others then."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from clause.graph.scopes import Caller
from clause.reasoning.answer.counterfactual import answer_changes
from clause.reasoning.answer.run_record import RunRecord, differences, digest_of
from clause.reasoning.answer.runs import Clocks, RunRecorder, TwoClocks, reasons
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.models.answer import AnswerEdge, CoordinationResult, Difference, StatementChange
from clause.reasoning.models.coordination import AnswerChange, CoordinationRequest, CoordinationResponse
from clause.text.fields import Frozen, Instant, Model


class ReplayClocks(Model):
    """The time as of which a run is played again; unset: the clocks of the run itself."""

    as_of: Instant | None = Field(None, description="Both clocks: what was known and true at this instant")
    as_of_valid: Instant | None = Field(None, description="What was true at this instant")
    as_of_recorded: Instant | None = Field(None, description="What was known at this instant")

    model_config = ConfigDict(json_schema_extra={"example": {"as_of": "2026-03-01T12:00:00Z"}})

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.as_of is not None and (self.as_of_valid or self.as_of_recorded):
            raise ValueError("`as_of` sets both clocks: give it alone, or `as_of_valid` and `as_of_recorded`")
        return self

    @property
    def given(self) -> dict[str, datetime]:
        """The clocks of the request that are set."""
        clocks = {"as_of_valid": self.as_of_valid or self.as_of, "as_of_recorded": self.as_of_recorded or self.as_of}
        return {name: at for name, at in clocks.items() if at is not None}


class Replay(Frozen):
    """A recorded run, run again: what differs (nothing, while graph and policy are the same), and the new answer."""

    run_id: str = Field(description="the run that was replayed")
    same: bool = Field(description="nothing differs")
    differences: tuple[Difference, ...] = Field(description="each place where the new answer differs from the record")
    response: CoordinationResponse = Field(description="the new answer; it is not recorded")
    as_of_valid: Instant | None = Field(None, description="what was true at this instant was used (null: now)")
    as_of_recorded: Instant | None = Field(None, description="what was known at this instant was used (null: now)")
    reproduced: bool | None = Field(
        None, description="at the run's own time the answer is the recorded one still (null: nothing differs)"
    )
    changes: tuple[AnswerChange, ...] = Field((), description="the answers that came, went or are scored otherwise")
    reasons: tuple[StatementChange, ...] = Field((), description="the statements that came, went or are held otherwise")


async def replayed(
    coordinator: Coordinator, runs: RunRecorder, run_id: str, caller: Caller, clocks: ReplayClocks
) -> Replay:
    """Run a recorded question again with the same request, budgets and policy, and record nothing.

    Where the answer differs, the question is asked once more as of the run's own time, and the statements that the two
    answers rest on tell why.

    Raises:
        NotFoundError: there is no such run for this caller.
    """
    run = await runs.get(run_id, caller)
    again = CoordinationRequest.model_validate({**_request(run), **clocks.given})
    again = again.model_copy(update={"scopes": list(run.scopes)})  # more, maybe, than a request may name
    response = await _asked(coordinator, run, again, caller)
    found = tuple(differences(run.digest, digest_of(response)))
    replay = Replay(
        run_id=run.id,
        same=not found,
        differences=found,
        response=response,
        as_of_valid=again.as_of_valid,
        as_of_recorded=again.as_of_recorded,
    )
    if not found:
        return replay
    then = again.model_copy(
        update={
            "as_of_valid": run.as_of_valid or run.as_of_recorded or run.recorded_at,
            "as_of_recorded": run.as_of_recorded or run.recorded_at,
        }
    )
    before = await _asked(coordinator, run, then, caller)
    now = runs.now()
    moments = TwoClocks(
        Clocks(then.as_of_valid or now, then.as_of_recorded or now),
        Clocks(again.as_of_valid or again.as_of_recorded or now, again.as_of_recorded or now),
    )
    cited = Cited.of(before.result, response.result)
    rows = await runs.statements(cited.edges, cited.nodes, run.scopes)
    return replay.model_copy(
        update={
            "reproduced": not differences(run.digest, digest_of(before)),
            "changes": answer_changes(before.result, response.result),
            "reasons": tuple(reasons(rows, cited.edges, cited.nodes, moments)),
        }
    )


def _request(run: RunRecord) -> dict[str, Any]:
    return {**run.request, "policy": run.policy, "scopes": None, "record": False}


async def _asked(
    coordinator: Coordinator, run: RunRecord, request: CoordinationRequest, caller: Caller
) -> CoordinationResponse:
    return await coordinator.coordinate(request, caller, budgets=run.budgets, repeat=run.fallbacks)


@dataclass(frozen=True, slots=True)
class Cited:
    """The triples and texts that either of two answers rests on."""

    edges: tuple[AnswerEdge, ...]
    nodes: tuple[str, ...]

    @classmethod
    def of(cls, *results: CoordinationResult) -> Cited:
        """Collect what walks and evidence of the results are made of, each once."""
        items = [item for result in results for item in result.evidence]
        walked = [edge for result in results for path in result.paths for edge in path.edges]
        edges = [*(item.edge for item in items if item.edge is not None), *walked]
        return cls(tuple(dict.fromkeys(edges)), tuple(dict.fromkeys(item.node for item in items if item.node)))
