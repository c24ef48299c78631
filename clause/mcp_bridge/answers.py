"""Answers of tools as a client gets them: plain JSON with `success`, never an embedding, in pages where they are long.

A long answer is cut in the order of its text, the rest kept for its cursor. A page is the answer with the later parts
left out. Merging all pages gives the answer back: objects are united, lists and texts are joined. There is one cut at a
time; `path` says where the next page goes on.
"""

from __future__ import annotations

import json
import math
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ValidationError

from clause import telemetry
from clause.errors import BadInputError, ClauseError
from clause.graph.exploration import is_long_vector, left_out
from clause.text.tokens import count_tokens

Path = tuple[str | int, ...]
PREFIX = "rest-"
"""The beginning of our cursors; any other is the service's own."""

_SMALL = 200  # tokens: what comes before the long parts of an object, wherever it stands
_OVERHEAD = 3  # tokens of the punctuation around a part
_MOST_CHARACTERS = 20  # of one token, as a rule; longer texts are not counted, they do not fit
_KEPT = 64
_LEAST_ROOM = 40
_LONGEST_PATH = 200
_KEPT_CHARACTERS = 32_000_000


@dataclass(frozen=True)
class Cut:
    """A page, what is left (None: nothing), and where in the whole answer it goes on."""

    page: Any
    rest: Any = None
    path: Path = ()


def written(value: Any) -> str:
    """`value` as the JSON text that a client reads."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def cut(value: Any, room: int) -> Cut:
    """As much of `value` as takes `room` tokens, and the rest.

    >>> cut({"id": 1, "items": ["one", "two"]}, 500)
    Cut(page={'id': 1, 'items': ['one', 'two']}, rest=None, path=())
    >>> cut(["word " * 20, "word " * 20], 40).path
    (1,)
    """
    return Cut(value) if _cost(value, room) <= room else _cut_inside(value, room)


def _cut_inside(value: Any, room: int) -> Cut:
    if isinstance(value, dict):
        return _cut_object(value, room)
    if isinstance(value, list):
        return _cut_list(value, room)
    if isinstance(value, str):
        return _cut_text(value, room)
    return Cut(None, value)


def _cut_object(value: dict[str, Any], room: int) -> Cut:
    small = {key for key, item in value.items() if _cost(item, _SMALL) <= _SMALL}
    order = [*(key for key in value if key in small), *(key for key in value if key not in small)]
    taken: dict[str, Any] = {}
    for place, key in enumerate(order):
        cost = _cost(value[key], room) + count_tokens(key) + _OVERHEAD
        if cost <= room:
            taken[key] = value[key]
            room -= cost
            continue
        inner = _cut_inside(value[key], room - count_tokens(key) - _OVERHEAD)
        rest = {left: value[left] for left in order[place + 1 :]}
        if not inner.page:
            return Cut(_in_order(taken, value), {key: value[key], **rest}, (key,))
        taken[key] = inner.page
        return Cut(_in_order(taken, value), {key: inner.rest, **rest}, (key, *inner.path))
    return Cut(_in_order(taken, value))


def _in_order(taken: dict[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: taken[key] for key in value if key in taken}


def _cut_list(value: list[Any], room: int) -> Cut:
    left = room
    for place, item in enumerate(value):
        left -= _cost(item, left) + _OVERHEAD
        if left >= 0:
            continue
        if place:
            return Cut(value[:place], value[place:], (place,))
        inner = _cut_inside(item, room - _OVERHEAD)
        if not inner.page:
            return Cut([], value, (0,))
        return Cut([inner.page], [inner.rest, *value[1:]], (0, *inner.path))
    return Cut(value)


def _cut_text(value: str, room: int) -> Cut:
    low, high = 0, min(len(value), max(0, room) * _MOST_CHARACTERS)
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(value[:middle], room) <= room:
            low = middle
        else:
            high = middle - 1
    return Cut(value[:low], value[low:], (low,))


def _cost(value: Any, room: int) -> int:
    """Tokens of `value`; more than `room` where it is plain that it does not fit."""
    text = written(value)
    return room + 1 if len(text) > (max(0, room) + 1) * _MOST_CHARACTERS else count_tokens(text)


@dataclass(frozen=True)
class Rest:
    """The rest of an answer, whose it is, and where it goes on: absolute places, as counted in the whole answer."""

    owner: tuple[str | None, str]
    value: Any
    path: Path
    size: int


class Rests:
    """The rests of answers that await their cursor: the latest ones, in memory.

    Args:
        token: makes cursors.
        most, most_characters: how many rests are kept, and how long they may be together.
    """

    def __init__(
        self,
        token: Callable[[], str] = lambda: secrets.token_urlsafe(12),
        most: int = _KEPT,
        most_characters: int = _KEPT_CHARACTERS,
    ) -> None:
        self._token = token
        self._most = most
        self._most_characters = most_characters
        self._kept: OrderedDict[str, Rest] = OrderedDict()

    def cursor(self) -> str:
        """A fresh cursor, for `keep`."""
        return PREFIX + self._token()

    def keep(self, cursor: str, owner: tuple[str | None, str], value: Any, path: Path) -> None:
        """Keep a rest for its cursor. `owner` is the caller's key and the tool's name: nobody else can ask for it."""
        self._kept[cursor] = Rest(owner, value, path, len(written(value)))
        while len(self._kept) > 1 and (
            len(self._kept) > self._most or sum(rest.size for rest in self._kept.values()) > self._most_characters
        ):
            self._kept.popitem(last=False)

    def get(self, owner: tuple[str | None, str], cursor: str) -> Rest:
        """The rest that a cursor stands for; it can be asked for again.

        Raises:
            BadInputError: it is not known, not any more, or another's.
        """
        rest = self._kept.get(cursor)
        if rest is None or rest.owner != owner:
            raise BadInputError(
                "the cursor is not known, or not any more", remedy="call the tool again without it", field="cursor"
            )
        self._kept.move_to_end(cursor)
        return rest


def page_of(
    rests: Rests, owner: tuple[str | None, str], answer: dict[str, Any], limit: int, start: Path = ()
) -> dict[str, Any]:
    """A result of at most `limit` tokens: the answer, or its first part with the cursor of the rest.

    Args:
        rests: keeps what is left.
        owner: the caller's key and the tool's name.
        answer: the whole answer, or what is left of it.
        limit: cl100k tokens of the result as JSON text.
        start: where in the whole answer `answer` goes on.
    """
    head: dict[str, Any] = {"success": True}
    if start:
        head["continues_at"] = _said(start)
    whole = {**head, **answer}
    if _cost(whole, limit) <= limit:
        return whole
    later = {"next_cursor": answer["next_cursor"]} if answer.get("next_cursor") else {}
    body = {key: value for key, value in answer.items() if key not in later}
    cursor, room, place = rests.cursor(), limit, start
    while room > _LEAST_ROOM:
        found = cut(body, room)
        place = _absolute(start, found.path)
        page = {**head, **found.page, "cut_at": _said(place), "next_cursor": cursor}
        if found.page and found.rest is not None and count_tokens(written(page)) <= limit:
            rests.keep(cursor, owner, {**found.rest, **later}, place)
            return page
        room -= max(_OVERHEAD, room // 20)
    return {**head, "note": f"what stands at {_said(place)} is too long to be shown", **later}


def _absolute(start: Path, path: Path) -> Path:
    """The place of a cut in the whole answer: a page that goes on inside a list or text counts from there.

    >>> _absolute(("items", 5), ("items", 2, "text", 7)), _absolute(("items", 5, "text", 7), ("items", 0, "text", 3))
    (('items', 7, 'text', 7), ('items', 5, 'text', 10))
    """
    places: list[str | int] = []
    same = True
    for depth, step in enumerate(path):
        before = start[depth] if same and depth < len(start) else None
        if isinstance(step, int) and isinstance(before, int):
            places.append(before + step)
            same = step == 0
        else:
            places.append(step)
            same = same and before == step
    return tuple(places)


def _said(path: Path) -> str:
    return ".".join(str(step) for step in path)[:_LONGEST_PATH]


LONGEST_MESSAGE = 1000
LONGEST_KEY = 100
_VECTORS = frozenset({"embedding", "embeddings", "centroid", "prototype", "vector"})
_INTERNAL = "something unexpected happened; it is in the log of the service"


def answer_of(found: BaseModel | Mapping[str, Any] | Sequence[BaseModel]) -> dict[str, Any]:
    """The answer that a service gave, as one JSON object without embeddings; a list becomes its `items`.

    Below the first level null is left out: an agent pays for each word that it reads.
    """
    if isinstance(found, BaseModel):
        dumped: Any = found.model_dump(mode="json")
    elif isinstance(found, Mapping):
        dumped = {key: _dumped(value) for key, value in found.items()}
    else:
        dumped = {"items": _dumped(found)}
    return {key: _plain(value) for key, value in dumped.items() if key != "success" and not _is_vector(key, value)}


def result_of(page: dict[str, Any]) -> CallToolResult:
    """A result as structured content and as the same JSON in text, for clients that read only text."""
    return CallToolResult(content=[TextContent(type="text", text=written(page))], structured_content=page)


def failure_of(error: Exception) -> CallToolResult:
    """A result that says what went wrong and how to mend it; of what nobody expected only that it is in the log."""
    page = {"success": False, "error": _told(error)}
    content = [TextContent(type="text", text=written(page))]
    return CallToolResult(content=content, structured_content=page, is_error=True)


def _told(error: Exception) -> dict[str, Any]:
    if isinstance(error, ValidationError):
        return _of_validation(error)
    if isinstance(error, ClauseError) and error.code != "internal":
        places = {"remedy": error.remedy, "field": error.field, "bound": error.bound}
        said = {key: _short(value) for key, value in places.items() if value is not None}
        return {"code": error.code, "message": _short(error.message), **said, **_details(error)}
    telemetry.logger(__name__).error("a tool failed", exc_info=error)
    return {"code": "internal", "message": _INTERNAL}


def _of_validation(error: ValidationError) -> dict[str, Any]:
    found = [
        {"field": ".".join(str(part) for part in one["loc"])[:200] or "arguments", "message": _short(one["msg"])}
        for one in error.errors(include_url=False, include_context=False, include_input=False)[:10]
    ]
    first = found[0]
    return {
        "code": "bad_input",
        "message": f"{first['field']}: {first['message']}",
        "field": first["field"],
        "errors": found,
    }


def _details(error: ClauseError) -> dict[str, Any]:
    details = _plain(_dumped(error.details))
    return {"details": details} if details and len(written(details)) <= 2 * LONGEST_MESSAGE else {}


def _short(text: Any) -> str:
    said = str(text).encode("utf-8", "replace").decode()
    return said if len(said) <= LONGEST_MESSAGE else f"{said[: LONGEST_MESSAGE - 3]}..."


def _dumped(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {str(key): _dumped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_dumped(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key[:LONGEST_KEY]: _plain(item)
            for key, item in value.items()
            if item is not None and not _is_vector(key, item)
        }
    if isinstance(value, list):
        return left_out(len(value)) if is_long_vector(value) else [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | bool | int) else str(value)


def _is_vector(key: str, value: Any) -> bool:
    return (key in _VECTORS or key.endswith("_embedding")) and (value is None or isinstance(value, list))
