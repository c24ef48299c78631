"""Answers without what no two runs share: random ids by their order of appearance, times and durations by a word."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

ULID = r"(?<![0-9A-Za-z])[0-7][0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Za-z])"
IDS = re.compile(r"<id \d+>")
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)")
HASHED = r"(?<![0-9A-Za-z_])(?:src|evb)_[0-9a-f]{24}(?![0-9A-Za-z])"
"""The source of a conversation and the evidence of a belief are hashes of a random id; other sources look the same."""
STAMP = r"(?<=_)\d{8}T\d{12}Z"
"""The end of a value's id: when it was stored, in microseconds."""
OPAQUE = {"next_cursor", "cursor", "plan"}
"""Whole texts that hold random ids: a page's last one encoded, and a hash of all that a retraction would touch."""
NUMBERED = {"cluster_id"}
"""Numbers that are names: those of clusters begin where their scope's hash says."""
OVER_IDS = "answer_sha256"
"""A hash over an answer, the random ids of its beliefs among it."""
REQUEST = "request_id"
"""Every refusal tells its request's id, and nothing else ever does."""
LATER = {"linked_documents": "<linked>"}
"""Thoughts are linked in the batches in which they happen to be written, each to the nearest that are there by then."""
EPOCH = re.compile(r"_time$")
"""Instants as seconds since 1970, as clusters of memories tell them."""
STATED = re.compile(r"(?<=last stated )\d{4}-\d\d-\d\d")
"""The day on which something was last stated: today, in a recording."""
DURATIONS = re.compile(r"(^|_)(ms|milliseconds|seconds|latency)$")


class Normal:
    """Normalises the answers of one recording; an id keeps its number from its first appearance on.

    >>> normal = Normal(datetime(2026, 1, 1, tzinfo=UTC))
    >>> normal({"id": "01JD7W9ZB6V3Q7T5N9S4E2M8XK", "at": "2026-01-01T10:00:00Z", "valid": "1999-01-01T00:00:00Z"})
    {'id': '<id 1>', 'at': '<time>', 'valid': '1999-01-01T00:00:00Z'}
    """

    def __init__(self, began: datetime | None = None) -> None:
        self._began = began or datetime.now(UTC)
        self._ids: dict[str, str] = {}
        self._random = re.compile(f"{ULID}|{HASHED}|{STAMP}")

    def __call__(self, value: Any, key: str = "") -> Any:
        """A JSON value, normalised."""
        if isinstance(value, dict):
            return {self.text(name): LATER.get(name, self(inner, name)) for name, inner in value.items()}
        if isinstance(value, list):
            return [self(inner, key) for inner in value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            if key in NUMBERED:
                return self._name(f"{key} {value}")
            return "<ms>" if DURATIONS.search(key) else "<time>" if EPOCH.search(key) else value
        if isinstance(value, str):
            if key == REQUEST:
                return "<request>"
            if key == OVER_IDS:
                return "<sha256>"
            return self._name(value) if key in OPAQUE and value else self.text(value)
        return value

    def text(self, text: str) -> str:
        """A text, normalised."""
        text = STATED.sub("<day>", self._random.sub(lambda match: self._name(match[0]), text))
        return INSTANT.sub(lambda match: "<time>" if self._is_ours(match[0]) else match[0], text)

    def _name(self, found: str) -> str:
        return self._ids.setdefault(found, f"<id {len(self._ids) + 1}>")

    def _is_ours(self, text: str) -> bool:
        """True of an instant that the service's clock made; those of the requests lie before."""
        at = datetime.fromisoformat(text)
        return self._began - timedelta(days=1) < at < self._began + timedelta(days=1_000)
