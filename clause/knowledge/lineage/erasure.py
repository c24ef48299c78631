"""Erasure: a right. A node, a source or a whole scope is forgotten for good, with every trace in answers and runs.

What was derived only from it goes too, in every scope that the caller may write; what also rests on something else
stays, weakened. What the service noted of it by itself (evidence, ThoughtSeeds, patterns, triggers) goes from whatever
scope, while what others derived and hold themselves is theirs. The receipt holds counts and nothing of what was erased.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from clause.errors import NotFoundError
from clause.graph.canonical import UPKEEP
from clause.graph.scopes import Caller, known_scopes, parse_scope
from clause.ground import Ground
from clause.knowledge.beliefs.rows import settling
from clause.knowledge.lineage.lineage import MOST, Key, closure, fallen
from clause.knowledge.lineage.models import Erasure, ErasureRequest
from clause.knowledge.lineage.scope_erasure import ScopeErasure, Traces, pieces_of, pieces_of_scope

FILES = (
    "Neo4j's own files may hold it for a while: transaction logs until they are rotated away (the managed server keeps "
    "at most 256 MB of them, another server what db.tx_log.rotation.retention_policy says), freed store records and "
    "index segments until they are written over or merged. Logs of the server hold no statements unless query logging "
    "is on. Archives and backups made before are yours to remove."
)
BULK = 500
"""The most nodes that are looked for one by one. Where more go at once, all recorded runs that read the scope go, and
all kept answers and ended jobs that name it."""

_SLICE = 500
_CLOSURE = 2_000
_WIDER = 4
_ERASE_S = 300.0
_LABELS = {"belief_id": "Belief", "source_id": "Source", "memory_id": "Memory"}


class _Plan(NamedTuple):
    root: Key
    scope: str
    known: tuple[str, ...]
    own: tuple[str, ...]
    homes: Mapping[Key, str]
    gone: frozenset[Key]
    runs: tuple[str, ...]
    weakened: tuple[Key, ...]
    texts: tuple[str, ...]
    pieces: tuple[str, ...]
    whole: bool

    @property
    def touched(self) -> tuple[str, ...]:
        """The scopes in which something goes: runs that read one of them may have told of it."""
        return tuple(sorted({*self.homes.values()}))

    @property
    def family(self) -> tuple[str, ...]:
        """Of the caller's scopes those of the same user or session: there its text is taken out of what was said."""
        user = parse_scope(self.scope).user
        return tuple(one for one in self.own if one == self.scope or (user and parse_scope(one).user == user))


class ErasureService:
    """The service that the doors ask for erasure.

    Args:
        ground: the open parts below.
        slice_of: rows of what rests on something that are read at a time.
    """

    def __init__(self, ground: Ground, *, slice_of: int = _CLOSURE) -> None:
        self._ground = ground
        self._slice = slice_of
        self._traces = Traces(ground.graph)
        self._scopes = ScopeErasure(ground.graph)

    async def preview(self, given: ErasureRequest, *, caller: Caller) -> Erasure:
        """The things that `apply` would remove; nothing is written.

        Raises:
            NotFoundError: there is nothing of the kind for this caller.
            ForbiddenError: it may be read, not written.
        """
        await self._ground.recorded()
        if given.scope is not None:
            return await self._scope(given.scope, caller, apply=False)
        plan = await self._planned(given, caller, MOST)
        counts = Counter(label for label, _ in plan.gone)
        counts["Run"] += len(plan.runs)
        if plan.root[0] == "Source":
            asked: dict[str, Any] = {"source_id": plan.root[1], "scope": plan.scope, "timeout_s": _ERASE_S}
            row = await self._ground.graph.one("knowledge/count_said", **asked)
            counts += Counter({"triples": row["triples"], "Entity": row["entities"]} if row else {})
        counts.update(await self._traces.count(plan.pieces))
        elsewhere = await self._traces.elsewhere(plan.family, plan.texts, [key[1] for key in plan.gone])
        vectors = await self._traces.vectors(plan.gone, plan.known)
        return Erasure(
            done=False,
            what=plan.root[0].lower(),
            counts=_counted(counts),
            vectors=vectors,
            kept=_ids(plan.weakened),
            elsewhere=elsewhere,
            files=FILES,
        )

    async def apply(self, given: ErasureRequest, *, caller: Caller) -> Erasure:
        """Remove it, what was derived only from it, and its text in recorded runs and kept answers.

        Done in slices, the thing itself last: broken off, it is finished by asking again.

        Raises:
            NotFoundError: there is nothing of the kind for this caller.
            ForbiddenError: it may be read, not written.
        """
        await self._ground.recorded()
        if given.scope is not None:
            return await self._scope(given.scope, caller, apply=True)
        return await self._apply(given, caller)

    async def memory_traces(self, memory_id: str, caller: Caller) -> None:
        """Remove every trace of a memory but the memory itself, which its room takes out of its cluster after this.

        Raises: as `apply`.
        """
        await self._ground.recorded()
        await self._apply(ErasureRequest(memory_id=memory_id), caller, keep_root=True)

    async def _apply(self, given: ErasureRequest, caller: Caller, *, keep_root: bool = False) -> Erasure:
        counts: Counter[str] = Counter()
        vectors, most = 0, self._slice
        disputed: set[str] = set()
        while True:
            plan = await self._planned(given, caller, most)
            disputed |= await self._disputed(plan)
            counts.update(await self._traces.erase(plan.touched, plan.pieces, plan.texts, plan.runs, said=plan.family))
            others = sorted(plan.gone - {plan.root}, key=lambda key: (key[1], key[0]))
            erased, embedded = await self._erase(others, plan)
            counts.update(erased)
            vectors += embedded
            if plan.whole:
                break
            most *= 1 if others else _WIDER
        if plan.root[0] == "Source":
            erased, embedded = await self._triples(plan)
            counts.update(erased)
            vectors += embedded
        if not keep_root:
            erased, embedded = await self._erase([plan.root], plan)
            counts.update(erased)
            vectors += embedded
        beliefs = sorted(disputed.union(identity for label, identity in plan.weakened if label == "Belief"))
        at = self._ground.now()
        if beliefs:
            await self._ground.graph.write([settling(beliefs, plan.own, at)], timeout_s=_ERASE_S)
        elsewhere = await self._traces.elsewhere(plan.family, plan.texts, [])
        return Erasure(
            done=True,
            what=plan.root[0].lower(),
            counts=_counted(counts),
            vectors=vectors,
            kept=_ids(plan.weakened),
            elsewhere=elsewhere,
            erased_at=at,
            files=FILES,
        )

    async def _disputed(self, plan: _Plan) -> set[str]:
        """The beliefs in tension with what goes: their tensions go with it."""
        ids = sorted(identity for label, identity in plan.gone if label == "Belief")
        rows = await self._ground.graph.run("knowledge/disputed_by", ids=ids, scopes=list(plan.own))
        return {str(row["other"]) for row in rows}

    async def _scope(self, scope: str, caller: Caller, *, apply: bool) -> Erasure:
        parse_scope(scope)
        caller.require_write(scope)
        known = await known_scopes(self._ground.graph)
        scopes = [one for one in known if one == scope or one.startswith(f"{scope}/session:")]
        if not scopes:
            raise NotFoundError(f"nothing is stored in scope {scope[:80]!r}", field="scope")
        counts, vectors = await self._scopes.run(scopes, apply=apply)
        erased_at = self._ground.now() if apply else None
        return Erasure(
            done=apply, what="scope", counts=_counted(counts), vectors=vectors, erased_at=erased_at, files=FILES
        )

    async def _planned(self, given: ErasureRequest, caller: Caller, most: int) -> _Plan:
        field, identity = next((name, getattr(given, name)) for name in _LABELS if getattr(given, name) is not None)
        root = (_LABELS[field], str(identity))
        graph = self._ground.graph
        readable = list(await self._ground.readable(caller, None))
        row = await graph.one("knowledge/node", label=root[0], id=root[1], scopes=readable)
        if row is None:
            raise NotFoundError(f"no {root[0].lower()} {root[1][:80]!r}", field=field)
        scope = caller.require_write(row["scope"])
        known = tuple(sorted({scope, *await self._ground.readable(Caller(), None)}))
        own = tuple(one for one in known if caller.may_write(one))
        dependents, whole = await closure(graph, [root], own, most=most, gone=True)
        gone = {root, *fallen([root], dependents)}
        homes = {root: scope} | {key: dependents[key].scope for key in gone if key in dependents}
        runs = {identity for label, identity in dependents if label == "Run"}
        await self._add_parts(gone, gone if whole else gone - {root}, known)
        asked: dict[str, Any] = {"nodes": _listed(gone), "ids": sorted(_ids(gone)), "scopes": list(own)}
        rows = await graph.run("knowledge/orphaned_entities", **asked)
        texts = await self._traces.texts([key for key in gone if key[0] not in {"Kept", "Receipt"}], known)
        texts = texts if len(gone) <= BULK else []
        orphans = {("Entity", str(row["id"])) for row in rows}
        gone |= orphans
        await self._add_parts(gone, orphans, known)
        runs |= {str(run) for row in rows for run in row["runs"]}
        touched = sorted({*homes.values()})
        many = len(gone) > BULK
        pieces = pieces_of([root[1]] if many else [*_ids(gone), *texts])
        pieces += [piece for one in touched for piece in pieces_of_scope(one)] if many else []
        runs |= await self._traces.runs(touched, None if many else pieces)
        gone -= {("Run", run) for run in runs}
        weakened = tuple(
            sorted(key for key, one in dependents.items() if key not in gone and key[0] != "Run" and not one.gone)
        )
        return _Plan(
            root,
            scope,
            known,
            own,
            homes,
            frozenset(gone),
            tuple(sorted(runs)),
            weakened,
            tuple(texts),
            tuple(pieces),
            whole,
        )

    async def _add_parts(self, gone: set[Key], owners: set[Key], scopes: Sequence[str]) -> None:
        """Add to `gone` what belongs to the owners among it, and to nothing that stays."""
        frontier = set(owners)
        while frontier:
            rows = await self._ground.graph.run(
                "knowledge/erasable_parts", nodes=_listed(frontier), ids=sorted(_ids(gone)), scopes=list(scopes)
            )
            frontier = {(str(row["label"]), str(row["id"])) for row in rows} - gone
            gone |= frontier

    async def _erase(self, nodes: Sequence[Key], plan: _Plan) -> tuple[Counter[str], int]:
        counts: Counter[str] = Counter()
        vectors = 0
        memories = [key for key in nodes if key[0] == "Memory"]
        for key in memories:
            home = plan.homes.get(key, plan.scope)
            await self._ground.graph.run("memory/delete", id=key[1], scope=home, versions=None)
            counts["Memory"] += 1
            vectors += 1
        rest = [key for key in nodes if key[0] != "Memory"]
        for start in range(0, len(rest), _SLICE):
            part = [list(key) for key in rest[start : start + _SLICE]]
            for row in await self._ground.graph.run(
                "knowledge/erase_nodes", nodes=part, scopes=list(plan.known), timeout_s=_ERASE_S
            ):
                counts[row["label"]] += row["erased"]
                vectors += row["vectors"]
        return counts, vectors

    async def _triples(self, plan: _Plan) -> tuple[Counter[str], int]:
        """Erase what the source says of entities, and those that nothing else speaks of; counts, and of vectors."""
        counts: Counter[str] = Counter()
        about: dict[str, Any] = {"source_id": plan.root[1], "scope": plan.scope, "limit": 5_000}
        vectors = 0
        while True:
            row = await self._ground.graph.one("knowledge/erase_triples", **about, timeout_s=_ERASE_S)
            if row is None or not row["erased"]:
                return counts, vectors
            counts["triples"] += row["erased"]
            rows = await self._ground.graph.run("knowledge/lone_entities", ids=row["ends"], scope=plan.scope)
            lone = {("Entity", str(one["id"])) for one in rows}
            gone = set(lone)
            await self._add_parts(gone, lone, plan.known)
            asked = sorted({str(run) for one in rows for run in one["runs"]})
            counts.update(await self._traces.erase(plan.known, pieces_of(_ids(gone)), (), asked, said=()))
            erased, embedded = await self._erase(sorted(gone), plan)
            counts.update(erased)
            vectors += embedded


def _ids(keys: Iterable[Key]) -> tuple[str, ...]:
    return tuple(identity for _, identity in keys)


def _listed(keys: Iterable[Key]) -> list[list[str]]:
    return [list(key) for key in sorted(keys)]


def _counted(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in sorted(counts) if counts[name] and name not in UPKEEP - {"Job"}}
