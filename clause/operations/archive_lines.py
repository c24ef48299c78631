"""Lines of an archive, each checked before it is believed: an archive may come from anybody.

Only what an export writes is let in: nodes of known labels in the archive's own scope, relationships that start there,
properties of the kinds that we store, in the canonical spelling. What a relationship may end at outside of the scope is
an entity that everybody in the scope sees, and only to say that it is meant; nothing out there is made or changed.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import json
import math
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, Field

from clause.errors import BadInputError, ConflictError, NotFoundError
from clause.graph.canonical import packed, unpacked
from clause.graph.codec import WRITTEN
from clause.graph.driver import OWN_PROPERTIES
from clause.graph.scopes import PUBLIC, parse_scope
from clause.insights.nodes import insight_of
from clause.knowledge.beliefs.rows import belief_of
from clause.knowledge.tensions import tension_of
from clause.sessions.patterns import pattern_of
from clause.sessions.sessions import session_of
from clause.text.names import RESERVED
from clause.values.axes import entry_of

_LABELS = """
    AttractorBasin BasinActivation Belief ClusteringRun Counter CuriosityTrigger Document EmergentPattern Entity
    Evidence Exchange Experience Feedback Insight InsightChange Kept Memory MemoryCluster Passage Pattern Policy
    Provenance Receipt RelationshipType Run RunStep Scope Session Source Tension ThoughtSeed Topic Value
    ValueCluster WriteConflict
"""
LABELS = frozenset(_LABELS.split())
"""Labels that an export writes: none of the installation's own, no key, no job."""

MEANT = frozenset({"ABOUT", "MENTIONS"})
"""Types of relationships that may end at an entity outside of the scope."""

MAX_TEXT = 4_000_000
MAX_LIST = 200_000
MAX_PROPERTIES = 120
MAX_ID = 1_000
MAX_DIMENSION = 10_000
MAX_COUNT = 2**53

_COUNTER = re.compile(r"[a-z_]{1,64}(?::[0-9A-Z]{26})?")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_TYPE = re.compile(r"[^\x00-\x1f]{1,1000}")
_SHARE = re.compile(r"c_\w+|overall|ceiling|reliability|reputation|reputation_score|recency_score|semantic_consistency")
_VECTOR = re.compile(r"(?:\w+_)?embedding|prototype|centroid")
_WHEN = re.compile(r"\w+_at|valid_from|valid_until")
_FOREIGN = tuple(kind for _, kind, *_ in WRITTEN)


class Header(BaseModel):
    """The first line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    clause_archive: int = Field(description="version of the format", ge=1)
    scope: str
    created_at: datetime
    clause: str = Field(description="version that wrote it", max_length=100)
    embedding_model: str | None = Field(description="whose vectors it holds", max_length=500)
    dimension: int | None = Field(description="numbers of a vector", ge=1, le=10_000)


class Footer(BaseModel):
    """The last line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    end: int = Field(description="lines before this one", ge=1)
    nodes: int = Field(ge=0)
    relationships: int = Field(ge=0)
    borrowed: int = Field(description="nodes of other scopes that relationships end at", ge=0)
    canonical: str = Field(description="hash of the scope")
    sha256: str = Field(description="of every byte before this line")


class End(NamedTuple):
    """A node that a relationship starts or ends at."""

    label: str
    id: str
    scope: str


class Checked(NamedTuple):
    """A line that was checked: of a node, a relationship, or a borrowed node, which is read past."""

    kind: Literal["node", "relationship", "borrowed"]
    name: str
    start: End
    end: End | None
    properties: dict[str, Any]
    outside: bool
    """A relationship that ends outside of the scope, or is another scope's: older versions exported such, too."""


class LineError(ValueError):
    """The fault of a line, in words."""


def checked(line: bytes, header: Header, number: int, file: str) -> Checked:
    """The line, once it is found to be one that an export of this scope could have written.

    Raises:
        BadInputError: it is not; the message names the line and says what is wrong.
    """
    try:
        text = line.decode("utf-8", "surrogatepass").removesuffix("\n")
        form = json.loads(text)
        again = json.dumps(form, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
        if not isinstance(form, dict) or again != text:
            raise LineError("it is not written as an export writes it")
        return _relationship(form, header) if "relationship" in form else _node(form, header)
    except RecursionError:
        reason = "it is nested too deep"
    except LineError as error:
        reason = str(error)
    except (ValueError, TypeError, KeyError, OverflowError):
        reason = "it is malformed"
    raise BadInputError(f"{file} line {number}: {reason}", field="file")


def _node(form: Mapping[str, Any], header: Header) -> Checked:
    kind: Literal["node", "borrowed"] = "node" if "node" in form else "borrowed"
    _exactly(form, {kind, "id", "properties"})
    labels = form[kind]
    if not isinstance(labels, list) or len(labels) != 1 or labels[0] not in LABELS:
        raise LineError(f"no export writes nodes of {str(labels)[:80]}")
    identity = _id(form["id"])
    properties = _properties(form["properties"], header)
    if properties.get("id") != identity:
        raise LineError("the node's id is not that of its properties")
    scope = properties.get("scope")
    if kind == "node" and scope != header.scope:
        raise LineError("the node is of another scope than the archive")
    if labels[0] == "Scope" and kind == "node" and identity != header.scope:
        raise LineError("the scope's own node is of another scope")
    if kind == "node":
        _is_own(labels[0], identity, properties, header.scope)
        _is_read(labels[0], properties)
    return Checked(kind, labels[0], End(labels[0], identity, str(scope)), None, properties, outside=kind == "borrowed")


def _is_own(label: str, identity: str, properties: Mapping[str, Any], scope: str) -> None:
    """Refuse what other scopes would count by, or be decided by, once they look for it by its id."""
    if label == "Policy" and scope != PUBLIC:
        raise LineError("policies are for all, and in no other archive than that of the scope public")
    if label == "Counter":
        if not _COUNTER.fullmatch(identity.removeprefix(f"{scope}/")) or identity == identity.removeprefix(f"{scope}/"):
            raise LineError("the counter is of another scope")
        if any(isinstance(value, int) and not 0 <= value <= MAX_COUNT for value in properties.values()):
            raise LineError("the counter has counted too far")


_SIDE = {"id": "", "content": "", "status": "active", "overall": 0.0}
READERS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "Belief": lambda node: belief_of(node, (), node["recorded_at"]),
    "Tension": lambda node: tension_of({**node, "a": _SIDE, "b": _SIDE}),
    "Session": session_of,
    "Pattern": lambda node: pattern_of({**node, "sessions": 0}),
    "Experience": lambda node: entry_of({"entry": node, "entities": ()}),
    "Insight": lambda node: insight_of({"insight": node, "conflicts": (), "superseded_by": ()}),
}
"""The model by which the rooms read a node of a label: one that they could not read would break every list of it."""


def _is_read(label: str, properties: Mapping[str, Any]) -> None:
    try:
        READERS.get(label, dict)(properties)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise LineError(f"it is no {label} that this version could read") from error


def _relationship(form: Mapping[str, Any], header: Header) -> Checked:
    _exactly(form, {"relationship", "start", "end", "properties"})
    name, start, end = form["relationship"], _end(form["start"]), _end(form["end"])
    if not isinstance(name, str) or not _TYPE.fullmatch(name):
        raise LineError("the relationship has no type")
    if name not in RESERVED and (start.label, end.label) != ("Entity", "Entity"):
        raise LineError(f"no export writes a relationship {name[:80]} from {start.label} to {end.label}")
    if start.scope != header.scope:
        raise LineError("the relationship starts in another scope than the archive's")
    properties = _properties(form["properties"], header, loaded=name not in RESERVED)
    foreign = properties.get("scope", header.scope) != header.scope
    if foreign and name in RESERVED:
        raise LineError("the relationship is of another scope than the archive")
    return Checked("relationship", name, start, end, properties, outside=foreign or end.scope != header.scope)


def may_end_outside(line: Checked, header: Header) -> bool:
    """True where a relationship may end outside of the scope: to say which entity is meant that the scope sees."""
    end = line.end
    sees = parse_scope(header.scope).sees
    return end is not None and line.name in MEANT and end.label == "Entity" and end.scope in sees


def _exactly(form: Mapping[str, Any], names: set[str]) -> None:
    if set(form) != names:
        raise LineError("it has other fields than an export writes")


def _id(value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_ID or "\0" in value:
        raise LineError("an id is missing or too long")
    return value


def _end(value: Any) -> End:
    if not isinstance(value, list) or len(value) != 3 or not all(isinstance(part, str) for part in value):
        raise LineError("an end of the relationship is malformed")
    if value[0] not in LABELS:
        raise LineError(f"no export writes relationships of {value[0][:80]}")
    return End(value[0], _id(value[1]), value[2])


def _properties(form: Any, header: Header, *, loaded: bool = False) -> dict[str, Any]:
    """The properties of a node or relationship; a loaded one has some that somebody else named, and of more kinds."""
    if not isinstance(form, dict) or len(form) > MAX_PROPERTIES:
        raise LineError("the properties are missing or too many")
    found = unpacked(form)
    if packed(found) != form:
        raise LineError("the properties are not written as an export writes them")
    for name, value in found.items():
        foreign = loaded and name not in OWN_PROPERTIES
        if not (_TYPE if foreign else _NAME).fullmatch(name):
            raise LineError(f"no export writes a property {name[:80]!r}")
        if not (_storable(value, _FOREIGN) if foreign else _fits(name, value, header)):
            raise LineError(f"the property {name} holds what is never stored there")
    return dict(found)


def _fits(name: str, value: Any, header: Header) -> bool:
    if name in {"id", "scope"}:
        return isinstance(value, str) and 0 < len(value) <= MAX_ID
    if _SHARE.fullmatch(name) and not isinstance(value, list):
        return isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value <= 1
    if _VECTOR.fullmatch(name):
        return _is_vector(value, header.dimension)
    if name == "ends_at":
        return isinstance(value, list) and len(value) <= MAX_LIST and all(isinstance(one, datetime) for one in value)
    if _WHEN.fullmatch(name):
        return isinstance(value, datetime)
    return _storable(value)


def _is_vector(value: Any, dimension: int | None) -> bool:
    finite = isinstance(value, list) and all(type(one) is float and math.isfinite(one) for one in value)
    return finite and (len(value) == dimension if dimension is not None else 0 < len(value) <= MAX_DIMENSION)


def _storable(value: Any, kinds_too: tuple[type[Any], ...] = ()) -> bool:
    if isinstance(value, list):
        kinds = {float if type(one) is int else type(one) for one in value}
        whole = len(value) <= MAX_LIST and len(kinds) <= 1 and not kinds & {list, dict}
        return whole and all(_storable(one, kinds_too) for one in value)
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    if isinstance(value, (bool, float, datetime, *kinds_too)):
        return True
    return isinstance(value, int) and -(2**63) <= value < 2**63


MAX_LINE = 16 << 20
"""Most bytes of one line."""

MAX_RATIO = 200
ALLOWANCE = 64 << 20
"""A packed file may hold `MAX_RATIO` times its size, and so many bytes more."""


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file with their ends; unpacked where its name ends in .gz.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: it is a link or no plain file, cannot be unpacked, or holds more than it may.
    """
    with contextlib.ExitStack() as stack:
        raw = stack.enter_context(_opened(path))
        most = os.fstat(raw.fileno()).st_size * MAX_RATIO + ALLOWANCE if path.suffix == ".gz" else None
        file = cast("IO[bytes]", stack.enter_context(gzip.GzipFile(fileobj=raw))) if most is not None else raw
        read, number = 0, 0
        while line := _line(file, path):
            read, number = read + len(line), number + 1
            if len(line) > MAX_LINE:
                raise BadInputError(f"{path} line {number} is too long", field="file", bound=f"{MAX_LINE} bytes")
            if most is not None and read > most:
                raise BadInputError(f"{path} unpacks to far more than it is", field="file", bound=f"{most} bytes")
            yield line


def _line(file: IO[bytes], path: Path) -> bytes:
    try:
        return file.readline(MAX_LINE + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{path} cannot be read: {error}", field="file") from error


def _opened(path: Path) -> IO[bytes]:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {path}", field="file") from None
    except OSError as error:
        reason = "it is a link" if path.is_symlink() else error.strerror
        raise BadInputError(f"{path} cannot be read: {reason}", field="file") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BadInputError(f"{path} is no plain file", field="file")
    return os.fdopen(descriptor, "rb")


@contextlib.contextmanager
def created(path: Path, then: Path) -> Iterator[IO[bytes]]:
    """A new file, 0600, that is this process's alone until the block ends well and it takes the place of `then`; what a
    process that was killed left goes first, and no link is followed.

    Raises:
        ConflictError: another process is writing it.
        BadInputError: it cannot be made there.
    """
    try:
        descriptor = _claimed(path)
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}", field="file") from error
    mine = os.fstat(descriptor)
    with os.fdopen(descriptor, "wb") as file:
        try:
            yield file
            file.flush()
            if not _is_at(path, mine):
                raise _taken()
            path.replace(then)  # still locked: who comes now begins with a file of its own
        except BaseException:
            if _is_at(path, mine):
                path.unlink()
            raise


def _claimed(path: Path) -> int:
    """The descriptor of a new file, locked; what a dead process left goes, and what a living one writes stays."""
    old, stale = -1, os.path.lexists(path)  # where nothing is, O_EXCL decides who makes it
    try:
        with contextlib.suppress(OSError):  # a link or a folder: nobody writes to it
            old = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        if old >= 0:
            _lock(old, path)
        if stale:
            path.unlink(missing_ok=True)
        new = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise _taken() from None
    finally:
        if old >= 0:
            os.close(old)
    try:
        _lock(new, path)
    except BaseException:
        os.close(new)
        raise
    return new


def _lock(descriptor: int, path: Path) -> None:
    """Lock an open file until it is closed; one that is not at its place any more was taken by another process."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _taken() from None
    except OSError:  # a file system without locks: one export after the other, as its users know
        return
    if not _is_at(path, os.fstat(descriptor)):
        raise _taken()


def _is_at(path: Path, file: os.stat_result) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(file, path.lstat())
    return False


def _taken() -> ConflictError:
    return ConflictError("another export writes this file", remedy="wait for it, or name another file", field="file")
