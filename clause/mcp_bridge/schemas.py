"""JSON schemas of arguments, made short: a model reads all of them before it does anything."""

from __future__ import annotations

from typing import Any

_MAPS = frozenset({"properties", "$defs"})
_NULL = {"type": "null"}


def slim(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without what says nothing to a model: titles, null beside a kind, and null as a default.

    What is optional may be left out; null is still understood.

    >>> name = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "title": "Name"}
    >>> slim({"properties": {"title": name}, "title": "Person"})
    {'properties': {'title': {'type': 'string'}}}
    """
    short: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" or (key == "default" and value is None):
            continue
        if key in _MAPS:
            short[key] = {name: slim(inner) for name, inner in value.items()}
        elif key == "anyOf":
            kinds = [slim(kind) for kind in value if kind != _NULL]
            short |= {**kinds[0], **short} if len(kinds) == 1 else {"anyOf": kinds}
        elif isinstance(value, dict) and key in {"items", "additionalProperties"}:
            short[key] = slim(value)
        else:
            short[key] = value
    return short
