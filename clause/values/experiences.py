"""Experiences from start to outcome, found again on each axis, and what earlier ones say before something is tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol

from clause.arrays import Floats
from clause.errors import ConflictError, NotFoundError, PreconditionError
from clause.graph.scopes import Caller, parse_scope
from clause.ground import Ground
from clause.text.linking import Linking
from clause.text.retrieval import cosine_matrix
from clause.text.tokens import count_tokens
from clause.values.axes import Axis, axis_texts, entry_of, full_text, open_key, parse_axis, properties_of, told_text
from clause.values.clusterer import OWNER
from clause.values.ghap import (
    GhapEntry,
    GhapOutcome,
    GhapStep,
    Outcome,
    Premortem,
    PremortemWarning,
    ResolveGhap,
    StartedGhap,
    StartGhap,
    UpdateGhap,
)
from clause.values.models import (
    FoundExperience,
    FoundExperiences,
    SearchExperiences,
    Value,
)
from clause.values.vector_store import VectorStore

MOST_TOKENS = 1500
MOST_VALUES = 200
"""The newest values that are looked at."""


def premortem(
    intent: Floats, values: Sequence[Value], *, limit_tokens: int = MOST_TOKENS, most: int = MOST_VALUES
) -> Premortem:
    """Values nearest to `intent` [d] first, as many as `limit_tokens` cl100k tokens of JSON hold.

    A value that is too long is passed over, and a shorter one behind it may still find a place.
    """
    if not values:
        return Premortem()
    nearness = cosine_matrix(intent[None], [value.embedding for value in values])[0]
    order = sorted(range(len(values)), key=lambda i: (-nearness[i], values[i].id))
    warnings: list[PremortemWarning] = []
    tokens = 2  # the brackets of the list
    for i in order[:most]:
        warning = _warning(values[i], float(nearness[i]))
        cost = count_tokens(warning.model_dump_json()) + 1
        if tokens + cost <= limit_tokens:
            warnings.append(warning)
            tokens += cost
    return Premortem(warnings=tuple(warnings), tokens=tokens if warnings else 0, left_out=len(values) - len(warnings))


def _warning(value: Value, similarity: float) -> PremortemWarning:
    return PremortemWarning(
        value_id=value.id,
        text=value.text,
        axis=value.axis,
        cluster_id=value.cluster_id,
        cluster_size=value.cluster_size,
        similarity=round(similarity, 4),
    )


_SEARCH: Final[Mapping[Axis, str]] = {
    Axis.FULL: "values/search[full]",
    Axis.STRATEGY: "values/search[strategy]",
    Axis.SURPRISE: "values/search[surprise]",
    Axis.ROOT_CAUSE: "values/search[root_cause]",
}
_TRIES = 50
_LAST = "\U0010ffff"  # sorts behind every text


class OutcomeListener(Protocol):
    """Hears what came of answers; `clause.reasoning.answer.calibration.Calibrations.outcome` does."""

    async def __call__(self, run_id: str, /, *, right: bool, caller: Caller) -> None:
        """An experience that acted on the answer of a run came out as it said, or not."""
        ...


class Experiences:
    """The GHAP entries of agents.

    Args:
        ground: graph, embedder, linker, clock and ids.
        store: where the values for warnings are.
        judge: told of a recorded answer that an experience acted on, whether it came out so; None: nobody is.
    """

    def __init__(
        self,
        ground: Ground,
        store: VectorStore,
        judge: OutcomeListener | None = None,
        warm: Callable[[], None] | None = None,
    ) -> None:
        """`warm` makes ready for clustering: it is called when an experience is resolved, and returns at once."""
        self._judge = judge
        self._warm = warm
        self._ground = ground
        self._graph = ground.graph
        self._store = store

    async def start(self, request: StartGhap, *, caller: Caller = OWNER) -> StartedGhap:
        """Open an experience, and say what earlier ones of its domain and strategy have taught.

        Raises:
            ConflictError: another one is open for this session; `details["experience_id"]` names it.
            ForbiddenError: the caller may not write to the scope.
        """
        scope = self._ground.writable(caller, request.scope)
        session_id = request.session_id or parse_scope(scope).session
        now = self._ground.now()
        told = request.model_dump(exclude={"scope", "session_id", "entities"})
        first = GhapStep(timestamp=now, **{name: told[name] for name in ("hypothesis", "action", "prediction")})
        entry = GhapEntry(
            id=self._ground.ids(), scope=scope, session_id=session_id, history=(first,), created_at=now, **told
        )
        vector = await self._ground.embedder.embed_query(full_text(entry))
        linking = await self._ground.linker.link([told_text(entry)], scope, now, given=[request.entities])
        await self._refuse_second(entry)
        await self._create(entry, linking, now)
        values = await self._store.values_of_context(parse_scope(scope).sees, entry.domain, entry.strategy, MOST_VALUES)
        seen = [value for value in values if caller.may_read(value.scope)]
        warnings = await self._ground.pool.run(premortem, vector, seen)
        return StartedGhap(experience=entry.model_copy(update={"entities": linking.entities[0]}), premortem=warnings)

    async def update(
        self,
        experience_id: str,
        request: UpdateGhap,
        *,
        versions: Sequence[int] | None = None,
        caller: Caller = OWNER,
    ) -> GhapEntry:
        """Change what is believed, done or expected while an experience is open; each change goes to its history.

        Args:
            experience_id: which one.
            request: what changed.
            versions: those that the caller has seen (If-Match); None: any.
            caller: who asks.

        Raises:
            NotFoundError: there is none, or none that the caller may see.
            ConflictError: it is resolved.
            PreconditionError: it is of another version by now.
        """
        changes = request.model_dump(exclude_none=True)
        step = GhapStep(timestamp=self._ground.now(), **changes)
        changes.pop("note", None)

        def changed(entry: GhapEntry) -> GhapEntry:
            return entry.model_copy(update={**changes, "history": (*entry.history, step)})

        return await self._change(experience_id, changed, versions, caller)

    async def resolve(
        self,
        experience_id: str,
        request: ResolveGhap,
        *,
        versions: Sequence[int] | None = None,
        caller: Caller = OWNER,
    ) -> GhapEntry:
        """Record how it ended; from then on it is searched and clustered. Its session may start another one.

        Raises:
            OutOfBoundsError: a falsified one without surprise or root cause.
            NotFoundError: there is none, or none that the caller may see.
            ConflictError: it is resolved already.
            PreconditionError: it is of another version by now.
        """
        request.require_reasons()
        now = self._ground.now()
        outcome = GhapOutcome(
            status=request.status, result=request.result, captured_at=now, auto_captured=request.auto_captured
        )
        told = {
            "outcome": outcome,
            "surprise": request.surprise,
            "root_cause": request.root_cause,
            "lesson": request.lesson,
            "confidence_tier": request.tier(),
            "resolved_at": now,
        }
        entry = await self._change(experience_id, lambda entry: entry.model_copy(update=told), versions, caller)
        if self._warm is not None:
            self._warm()
        if self._judge is not None and entry.run_id is not None and request.status is not Outcome.ABANDONED:
            await self._judge(entry.run_id, right=request.status is Outcome.CONFIRMED, caller=caller)
        return entry

    async def active(
        self, session_id: str | None = None, *, scope: str | None = None, caller: Caller = OWNER
    ) -> GhapEntry | None:
        """The open experience of a session; None where there is none."""
        home = await self._ground.home(caller, scope)
        session = session_id or parse_scope(home).session
        row = await self._graph.one("values/open_experience", open_key=open_key(home, session), scope=home)
        return entry_of(row) if row else None

    async def get(self, experience_id: str, *, caller: Caller = OWNER) -> GhapEntry:
        """One experience.

        Raises:
            NotFoundError: there is none, or none that the caller may see.
        """
        row = await self._graph.one("values/experience", id=experience_id, scopes=None)
        if row is None or not caller.may_read(row["entry"]["scope"]):
            raise NotFoundError(f"no experience is called {experience_id[:80]!r}", field="experience_id")
        return entry_of(row)

    async def list(
        self,
        *,
        scopes: Sequence[str] | None = None,
        domain: str | None = None,
        strategy: str | None = None,
        outcome: str | None = None,
        session_id: str | None = None,
        limit: int = 20,
        after: str | None = None,
        caller: Caller = OWNER,
    ) -> Sequence[GhapEntry]:
        """Experiences, newest first, older than the one with id `after`; None narrows nothing."""
        rows = await self._graph.run(
            "values/experiences",
            scopes=list(await self._ground.readable(caller, scopes)),
            domain=_word(domain),
            strategy=_word(strategy),
            outcome=_word(outcome),
            session_id=session_id,
            before=after,
            limit=limit,
        )
        return [entry_of(row) for row in rows]

    async def search(self, request: SearchExperiences, *, caller: Caller = OWNER) -> FoundExperiences:
        """Resolved experiences near a query on one axis, nearest first; domain, strategy and outcome are filters.

        Raises:
            InvalidAxisError: there is no such axis.
        """
        axis = parse_axis(request.axis)
        ranges: dict[str, Any] = {}
        for name in ("domain", "strategy", "outcome"):
            wanted = _word(getattr(request, name))
            ranges |= {f"{name}_from": wanted or "", f"{name}_to": wanted or _LAST}
        rows = await self._graph.run(
            _SEARCH[axis],
            embedding=await self._ground.embedder.embed_query(request.query),
            scopes=list(await self._ground.readable(caller, request.scopes)),
            limit=request.limit,
            **ranges,
        )
        found = [FoundExperience(experience=entry_of(row), similarity=row["similarity"]) for row in rows]
        return FoundExperiences(items=tuple(found))

    async def _refuse_second(self, entry: GhapEntry) -> None:
        key = open_key(entry.scope, entry.session_id)
        other = await self._graph.one("values/open_experience", open_key=key, scope=entry.scope)
        if other is not None:
            raise _second(other["entry"]["id"])

    async def _create(self, entry: GhapEntry, linking: Linking, now: datetime) -> None:
        properties = {**properties_of(entry), "degree": 0}
        try:
            await self._graph.write(
                [
                    ("graph/register_scope", {"scope": entry.scope, "recorded_at": now}),
                    ("values/start_experience", {"id": entry.id, "properties": properties}),
                    *linking.statements,
                    self._about(entry, linking, now),
                ]
            )
        except ConflictError:
            await self._refuse_second(entry)
            raise

    async def _change(
        self, experience_id: str, changed: Any, versions: Sequence[int] | None, caller: Caller
    ) -> GhapEntry:
        """Write `changed(entry)` on the version that was read; read again when another writer was quicker."""
        for _ in range(_TRIES):
            entry = await self.get(experience_id, caller=caller)
            caller.require_write(entry.scope)
            if versions is not None and entry.version not in versions:
                raise PreconditionError(
                    f"the version is now {entry.version}",
                    remedy="read it again and repeat the change",
                    field="If-Match",
                )
            if entry.outcome is not None:
                raise ConflictError("the experience is resolved already", field="experience_id")
            if await self._write(entry, changed(entry)):
                return await self.get(experience_id, caller=caller)
        raise ConflictError("too many others change this experience", remedy="try again")

    async def _write(self, before: GhapEntry, after: GhapEntry) -> bool:
        now, change_id = self._ground.now(), self._ground.ids()
        key = {"id": before.id, "scope": before.scope}
        linking = await self._ground.linker.link([told_text(after)], before.scope, now)
        changes = {name: value for name, value in properties_of(after).items() if name != "version"}
        write = {**key, "version": before.version, "change_id": change_id, "changes": changes, "now": now}
        embedding = [await self._embedded(after, key, change_id)] if after.outcome else []
        about = self._about(before, linking, now, change_id)
        rows = await self._graph.write([("values/change_experience", write), *embedding, *linking.statements, about])
        return bool(rows[0])

    async def _embedded(self, entry: GhapEntry, key: dict[str, Any], change_id: str) -> tuple[str, dict[str, Any]]:
        texts = axis_texts(entry)
        vectors = dict(zip(texts, await self._ground.embedder.embed([*texts.values()]), strict=True))
        by_name = {axis.value: vectors.get(axis) for axis in Axis}
        model = self._ground.embedder.model
        return "values/embed_experience", {**key, "change_id": change_id, "model": model, **by_name}

    @staticmethod
    def _about(
        entry: GhapEntry, linking: Linking, now: datetime, change_id: str | None = None
    ) -> tuple[str, dict[str, Any]]:
        key = {"id": entry.id, "scope": entry.scope, "change_id": change_id, "recorded_at": now}
        return "values/link_about", {**key, "entities": sorted(entity.id for entity in linking.entities[0])}


def _second(experience_id: str) -> ConflictError:
    return ConflictError(
        f"experience {experience_id} is still open for this session",
        remedy="resolve it first",
        field="session_id",
        details={"experience_id": experience_id},
    )


def _word(text: str | None) -> str | None:
    return text.strip().lower() or None if text else None
