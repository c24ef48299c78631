"""The methods that `Clause` and `ClauseClient` have in common, each declared once: a subclass carries them out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote

from pydantic import BaseModel

from clause.graph.scopes import Caller
from clause.intelligence.models import CuriosityPlan, CuriosityPlanRequest
from clause.knowledge.beliefs import models as beliefs
from clause.knowledge.beliefs.query_models import BeliefHits, BeliefQuery
from clause.knowledge.lineage.models import Erasure, ErasureRequest
from clause.memory.models import MemoryReadInput, MemoryReadResult, MemoryWriteInput, MemoryWriteResult
from clause.reasoning import models as agents
from clause.reasoning.answer.calibration import FeedbackGiven, FeedbackTaken
from clause.reasoning.answer.replay import Replay, ReplayClocks, replayed
from clause.reasoning.answer.run_record import RunRecord
from clause.reasoning.models.answer import RunSummary
from clause.text.fields import checked, whole

if TYPE_CHECKING:
    from clause.app import Container

_T = TypeVar("_T")
Here = Callable[["Container", Caller], Awaitable[_T]]
Pool = Sequence[str] | agents.ContextCurationRequest
Verdict = Literal["right", "wrong"]
_ASK, _RUNS, _BELIEFS, _MEMORIES = "/api/clause", "/api/clause/runs", "/api/beliefs", "/api/memories"


class Asking(ABC):
    """Questions, recorded answers, beliefs and memories, from the services of this process or of a running one.

    A method takes a whole request, or its first field and the others by name: those of the model that it names. What
    the model refuses is an OutOfBoundsError that names the field; other errors are those of the service.
    """

    @abstractmethod
    async def perform(
        self, path: str, request: BaseModel | None, gives: type[_T], here: Here[_T], *, inside: str = ""
    ) -> _T:
        """The answer of `POST path` with a request (of `GET` without one), or of `here`, which asks this process.

        `gives` is the type of the answer, `inside` the member of the JSON that holds it; the whole of it if not said.
        """

    async def coordinate(
        self, /, query: str | agents.CoordinationRequest, **fields: Any
    ) -> agents.CoordinationResponse:
        """All three agents answer a question; `fields` are those of `CoordinationRequest`, budgets have defaults."""
        said = {"budgets": {}, **fields} if isinstance(query, str) else fields
        asked = whole(agents.CoordinationRequest, query, "query", said)
        gives = agents.CoordinationResponse
        return await self.perform(
            f"{_ASK}/coordinate", asked, gives, lambda c, who: c.coordinator.coordinate(asked, who)
        )

    async def subgraph(self, /, query: str | agents.SubgraphRequest, **fields: Any) -> agents.SubgraphResponse:
        """The SubgraphArchitect alone, on a question; `fields` are those of `SubgraphRequest`."""
        asked = whole(agents.SubgraphRequest, query, "query", fields)
        gives = agents.SubgraphResponse
        return await self.perform(f"{_ASK}/subgraph", asked, gives, lambda c, who: c.agents.subgraph(asked, who))

    async def navigate(
        self, /, query: str | agents.PathNavigationRequest, start_node: str | None = None, **fields: Any
    ) -> agents.PathNavigationResponse:
        """The PathNavigator alone, from a node's id, exact name or alias; `fields` of `PathNavigationRequest`."""
        asked = whole(agents.PathNavigationRequest, query, "query", fields, start_node=start_node)
        gives = agents.PathNavigationResponse
        return await self.perform(f"{_ASK}/navigate", asked, gives, lambda c, who: c.agents.navigate(asked, who))

    async def curate(self, /, evidence_pool: Pool, **fields: Any) -> agents.ContextCurationResponse:
        """The ContextCurator alone, on given texts; `fields` of `ContextCurationRequest`."""
        asked = whole(agents.ContextCurationRequest, evidence_pool, "evidence_pool", fields)
        gives = agents.ContextCurationResponse
        return await self.perform(f"{_ASK}/curate", asked, gives, lambda c, who: c.agents.curate(asked, who))

    async def score_edges(
        self, /, query: str | agents.EdgeScoreRequest, edges: Any = None, **fields: Any
    ) -> agents.EdgeScoreResponse:
        """The five signals and the score of `edges`: mappings or `EdgeTriple`s."""
        asked = whole(agents.EdgeScoreRequest, query, "query", fields, edges=edges)
        gives = agents.EdgeScoreResponse
        return await self.perform(f"{_ASK}/edges/score", asked, gives, lambda c, who: c.agents.score_edges(asked, who))

    async def run(self, /, run_id: str) -> RunRecord:
        """A recorded run with its request, budgets, seeds and every step."""
        return await self.perform(f"{_RUNS}/{_part(run_id)}", None, RunRecord, lambda c, who: c.runs.get(run_id, who))

    async def runs(self, /, limit: int = 20) -> tuple[RunSummary, ...]:
        """The newest recorded runs, at most `limit` (100 in one call of a service)."""

        async def here(container: Container, caller: Caller) -> tuple[RunSummary, ...]:
            await container.runs.settled()
            return tuple(await container.runs.list(caller, limit=limit))

        return await self.perform(f"{_RUNS}?limit={limit}", None, tuple[RunSummary, ...], here, inside="items")

    async def feedback(self, /, run_id: str, verdict: Verdict | FeedbackGiven, **fields: Any) -> FeedbackTaken:
        """Say that an answer of a run is right or wrong; `fields` are those of `FeedbackGiven`."""
        told = whole(FeedbackGiven, verdict, "verdict", fields)
        path = f"{_RUNS}/{_part(run_id)}/feedback"
        return await self.perform(
            path, told, FeedbackTaken, lambda c, who: c.calibrations.give(run_id, told, caller=who)
        )

    async def replay(self, /, run_id: str, **clocks: Any) -> Replay:
        """Ask a recorded question again, as of its own time or as of `as_of`, `as_of_valid` and `as_of_recorded`."""
        at = checked(ReplayClocks, clocks)

        async def here(container: Container, caller: Caller) -> Replay:
            return await replayed(container.coordinator, container.runs, run_id, caller, at)

        return await self.perform(f"{_RUNS}/{_part(run_id)}/replay", at, Replay, here)

    async def curiosity_plan(self, /, budget: int | CuriosityPlanRequest = 5, **fields: Any) -> CuriosityPlan:
        """Plan what to find out next with so many questions, most telling first; `fields` of `CuriosityPlanRequest`."""
        asked = whole(CuriosityPlanRequest, budget, "budget", fields)
        path, gives = f"{_ASK}/curiosity/plan", CuriosityPlan
        return await self.perform(
            path, asked, gives, lambda c, who: c.rooms.intelligence.planner.plan(asked, caller=who)
        )

    async def belief_create(self, /, content: str | beliefs.BeliefCreate, **fields: Any) -> beliefs.BeliefCreated:
        """Hold a statement as a belief; what is held already is corroborated. `fields` are those of `BeliefCreate`."""
        told = whole(beliefs.BeliefCreate, content, "content", fields)
        gives = beliefs.BeliefCreated
        return await self.perform(
            _BELIEFS, told, gives, lambda c, who: c.rooms.knowledge.beliefs.create(told, caller=who)
        )

    async def belief_query(self, /, query: str | BeliefQuery, **fields: Any) -> BeliefHits:
        """Find what is held to be true about something, best first; `fields` are those of `BeliefQuery`."""
        asked = whole(BeliefQuery, query, "query", fields)
        path, gives = f"{_BELIEFS}/query", BeliefHits
        return await self.perform(path, asked, gives, lambda c, who: c.rooms.knowledge.beliefs.query(asked, caller=who))

    async def belief_supersede(
        self, /, belief_id: str, content: str | beliefs.BeliefSupersede, **fields: Any
    ) -> beliefs.Belief:
        """Put a newer belief in the place of one, which stays in the history; `fields` of `BeliefSupersede`."""
        told = whole(beliefs.BeliefSupersede, content, "content", fields)
        path = f"{_BELIEFS}/{_part(belief_id)}/supersede"
        return await self.perform(
            path, told, beliefs.Belief, lambda c, who: c.rooms.knowledge.beliefs.supersede(belief_id, told, caller=who)
        )

    async def memory_write(self, /, content: str | MemoryWriteInput, **fields: Any) -> MemoryWriteResult:
        """Keep a text word for word; `fields` are those of `MemoryWriteInput`."""
        told = whole(MemoryWriteInput, content, "content", fields)
        gives = MemoryWriteResult
        return await self.perform(_MEMORIES, told, gives, lambda c, who: c.rooms.memory.store.write(told, caller=who))

    async def memory_read(self, /, query_text: str | MemoryReadInput, **fields: Any) -> tuple[MemoryReadResult, ...]:
        """Recall kept texts, best first; without vectors unless asked for. `fields` are those of `MemoryReadInput`."""
        said = {"include_embeddings": False, **fields} if isinstance(query_text, str) else fields
        asked = whole(MemoryReadInput, query_text, "query_text", said)

        async def here(container: Container, caller: Caller) -> tuple[MemoryReadResult, ...]:
            return tuple(await container.rooms.memory.store.read(asked, caller=caller))

        return await self.perform(f"{_MEMORIES}/search", asked, tuple[MemoryReadResult, ...], here, inside="results")

    async def forget(self, /, *, confirm: bool = False, **what: Any) -> Erasure:
        """Erase a `scope`, `source_id`, `belief_id` or `memory_id` for good; a preview unless confirmed."""
        told = checked(ErasureRequest, what)

        async def here(container: Container, caller: Caller) -> Erasure:
            erasure = container.rooms.knowledge.erasure
            return await (erasure.apply if confirm else erasure.preview)(told, caller=caller)

        return await self.perform(f"/api/erasures{'' if confirm else '/preview'}", told, Erasure, here)


def _part(name: str) -> str:
    return quote(name, safe="")
