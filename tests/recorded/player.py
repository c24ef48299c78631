"""Sends requests and writes down each with its answer."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from tests.recorded.normal import IDS, Normal

SHOWN_HEADERS = ("etag", "location", "idempotency-replayed", "retry-after", "content-type")
UNORDERED = {"GET /api/sources", "GET /api/trust/edges"}
"""Lists by id, where some ids are hashes of random ones; they are asked for whole."""
FINAL = {"succeeded", "failed", "cancelled"}
PATIENCE_S = 1_800
SETTLING_S = 2.5
"""What is written after answers waits for a quiet moment: recalls a second, thoughts and triggers a part of one."""
AGAIN = 5
"""How often a request is sent once more that the service could not answer in time."""
LOOKS = 20
"""A busy machine writes later: so many looks at the service's health, as long as they take there, are added."""


class Player:
    """Plays requests against one service.

    Attributes:
        exchanges: each request with its answer, normalised.
        known: ids that answers brought, by the name of the path parameter that takes them.
        counts: how many requests each operation had, by "METHOD template".
    """

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self.normal = Normal()
        self.exchanges: list[dict[str, Any]] = []
        self.known: dict[str, list[Any]] = {}
        self.counts: Counter[str] = Counter()

    def send(
        self,
        operation: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        key: str | None = None,
        match: str | None = None,
        raw: str | None = None,
        **places: Any,
    ) -> Any:
        """The JSON answer of an operation such as "GET /api/beliefs/{belief_id}"; {} where it is refused.

        `places` fill the template, `key` and `match` are the Idempotency-Key and If-Match headers, and `raw` is a body
        that is no JSON.
        """
        method, template = operation.split(" ", 1)
        path = template.format(**{name: quote(str(value), safe="") for name, value in places.items()})
        headers = {name: value for name, value in (("Idempotency-Key", key), ("If-Match", match)) if value is not None}
        sent: dict[str, Any] = {"json": body} if raw is None else {"content": raw}
        if raw is not None:
            headers["Content-Type"] = "application/json"
        sent = sent if body is not None or raw else {}
        answer = self._http.request(method, path, params=query, headers=headers, **sent)
        for _ in range(AGAIN):
            if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                break
            time.sleep(SETTLING_S)  # "took longer than its limit" tells of a busy machine, not of the service
            answer = self._http.request(method, path, params=query, headers=headers, **sent)
        self.counts[operation] += 1
        found = self._content(answer)
        asked = {"places": places, "query": query, "headers": headers, "body": raw or body}
        answered = self.normal(found)
        if operation in UNORDERED and answer.is_success:
            answered["items"].sort(key=lambda item: IDS.sub("", json.dumps(item, sort_keys=True)))
        self.exchanges.append(
            {
                "operation": operation,
                "request": self.normal({name: value for name, value in asked.items() if value}),
                "status": answer.status_code,
                "headers": self.normal(
                    {name: answer.headers[name] for name in SHOWN_HEADERS if name in answer.headers}
                ),
                "answer": answered,
            }
        )
        return found if answer.is_success else {}

    def note(self, parameter: str, value: Any) -> Any:
        """Keep an id for requests to come; the id."""
        if value not in (None, "", *self.known.setdefault(parameter, [])):
            self.known[parameter].append(value)
        return value

    def ids(self, parameter: str, least: int = 1) -> list[Any]:
        """The ids kept under a name; words that name nothing where there are too few, so that every story ends."""
        found = self.known.get(parameter, [])
        return found if len(found) >= least else ["none"] * least

    def finish(self, job: Mapping[str, Any]) -> None:
        """Wait until a job has ended; these requests are not written down, for their number is chance."""
        deadline = time.monotonic() + PATIENCE_S
        while job and self._http.get(f"/api/jobs/{job['id']}").json()["state"] not in FINAL:
            assert time.monotonic() < deadline, f"the job {job} never ended"
            time.sleep(0.05)

    def settle(self) -> None:
        """Wait until what answers leave to write is written."""
        began = time.monotonic()
        self._http.get("/health/ready").raise_for_status()
        time.sleep(SETTLING_S + LOOKS * (time.monotonic() - began))

    def settle_recalls(self) -> None:
        """Wait until recalls are counted: those noted while others are written wait for the next recall."""
        self.settle()
        search = {
            "query_text": "tea",
            "scopes": ["user:bob"],
            "k": 1,
            "search_mode": "dense",
            "include_embeddings": False,
        }
        self._http.post("/api/memories/search", json=search).raise_for_status()
        self.settle()

    def document(self) -> dict[str, Any]:
        """The OpenAPI document as served."""
        found: dict[str, Any] = self._http.get("/openapi.json").raise_for_status().json()
        return found

    @staticmethod
    def _content(answer: httpx.Response) -> Any:
        kind = answer.headers.get("content-type", "")
        if "json" in kind:
            return answer.json()
        if kind.startswith("text/plain"):  # metrics: the figures are of this run, the names are not
            return sorted({re.split("[ {]", line)[0] for line in answer.text.splitlines() if line[:1] != "#"})
        if kind.startswith("text/event-stream"):  # comments are pings
            lines = [line for line in answer.text.splitlines() if line and not line.startswith(":")]
            return [json.loads(line[6:]) if line.startswith("data: {") else line for line in lines]
        return answer.text
