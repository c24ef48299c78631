"""Answers of tools as a client gets them: plain JSON with `success`, and never an embedding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ValidationError

from clause import telemetry
from clause.errors import ClauseError
from clause.mcp_bridge.paging import written

LONGEST_NUMBERS = 32
"""A longer list of numbers is an embedding, or tells as little to a reader."""

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
        return f"{len(value)} numbers, left out" if _numbers(value) else [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | bool | int) else str(value)


def _is_vector(key: str, value: Any) -> bool:
    return (key in _VECTORS or key.endswith("_embedding")) and (value is None or isinstance(value, list))


def _numbers(value: list[Any]) -> bool:
    return len(value) > LONGEST_NUMBERS and all(isinstance(item, float) for item in value)
