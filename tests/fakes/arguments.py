"""Arguments made from a JSON schema: those that fit it, and those that nearly do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

NASTY = (
    "x",
    "What does Ann prefer?",
    "'; MATCH (n) DETACH DELETE n //",
    'name:* AND (foo OR -bar) ~2 "unclosed',
    "\u0000NUL \u0001",
    "🎬🍿" * 40,
    "مرحبا بالعالم",
    "\u202eright to left",
    "line\nbreak\ttab",
    "a" * 9000,
    "é" * 300,
    "{{ template }} ${jndi:ldap://x}",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "-1",
)
_WRONG: tuple[Any, ...] = (None, -(10**18), 10**400, 1.5e308, True, "", "x" * 20_000, [], {}, [[[]]], {"a": {"b": 1}})


class Arguments:
    """Makes arguments for one schema.

    Args:
        schema: of an object, with its `$defs`.
        random: where choices come from.
        known: for the name of an argument words that mean something to the service, such as ids; they are chosen more
            often than not.
    """

    def __init__(
        self, schema: dict[str, Any], random: Random, known: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self._schema = schema
        self._random = random
        self._known = known or {}

    def valid(self) -> dict[str, Any]:
        """Arguments that fit the schema; optional ones are there half of the time."""
        made: dict[str, Any] = self._object(self._schema)
        made.pop("cursor", None)
        return made

    def invalid(self) -> dict[str, Any]:
        """Arguments of which one is of the wrong kind, out of bounds, missing or unknown."""
        made = self.valid()
        names = [*self._schema["properties"]]
        name = self._random.choice([*names, "unknown"])
        if name in made and self._random.random() < 0.2:
            del made[name]
        else:
            made[name] = self._random.choice(_WRONG)
        return made

    def _value(self, schema: dict[str, Any], name: str = "") -> Any:
        if "$ref" in schema:
            return self._value(self._schema["$defs"][schema["$ref"].rpartition("/")[2]], name)
        for union in ("anyOf", "oneOf", "allOf"):
            if union in schema:
                return self._value(self._random.choice(schema[union]), name)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        if schema.get("type", "string") == "string":
            return self._string(schema, name)
        return self._array(schema, name) if schema["type"] == "array" else getattr(self, f"_{schema['type']}")(schema)

    def _object(self, schema: dict[str, Any]) -> dict[str, Any]:
        required = schema.get("required", ())
        properties = schema.get("properties", {})
        made = {
            name: self._value(inner, name)
            for name, inner in properties.items()
            if name in required or self._random.random() < 0.5
        }
        more = schema.get("additionalProperties")
        if not properties and more is not False:
            made["key"] = self._value(more) if isinstance(more, dict) and more else self._random.choice(NASTY)
        return made

    def _array(self, schema: dict[str, Any], name: str) -> list[Any]:
        least = schema.get("minItems", 0)
        count = self._random.randint(least, max(least, min(schema.get("maxItems", 3), 3)))
        return [self._value(schema.get("items", {}), name) for _ in range(count)]

    def _string(self, schema: dict[str, Any], name: str) -> str:
        if schema.get("format") == "date-time":
            return self._random.choice(["2026-01-01T00:00:00Z", "1999-12-31T23:59:59+02:00", "2030-06-01T12:00:00Z"])
        if "pattern" in schema:
            return self._random.choice(["abc", "A1", "session-7"])
        known = self._known.get(name)
        text = self._random.choice(known if known and self._random.random() < 0.7 else NASTY)
        text += "x" * (schema.get("minLength", 0) - len(text))
        return text[: schema.get("maxLength", len(text))]

    def _integer(self, schema: dict[str, Any]) -> int:
        return self._random.randint(int(self._least(schema, 0)), int(self._most(schema, 100)))

    def _number(self, schema: dict[str, Any]) -> float:
        return self._random.uniform(self._least(schema, 0.0), self._most(schema, 1.0))

    def _boolean(self, _schema: dict[str, Any]) -> bool:
        return self._random.random() < 0.5

    def _null(self, _schema: dict[str, Any]) -> None:
        return None

    @staticmethod
    def _least(schema: dict[str, Any], default: float) -> float:
        return float(schema.get("minimum", schema.get("exclusiveMinimum", default)))

    @staticmethod
    def _most(schema: dict[str, Any], default: float) -> float:
        return float(schema.get("maximum", schema.get("exclusiveMaximum", default)))
