"""The running service, as commands find and ask it: through the home folder, quickly, or not at all.

Only what starts fast is imported here: a question to a running service takes less time than reading the settings.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clause.errors import UnavailableError, of_problem

if TYPE_CHECKING:
    from clause.settings import Settings

STATE = "api.json"
_PATIENCE_S = 120.0
_CONNECT_S = 2.0
_SAME_START_S = 1.0
_LOOK_EVERY_S = 0.2
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 -- where what listens everywhere is asked
_OF_NO_ANSWER = frozenset(
    {"HOME", "HOST", "PORT", "LOG_LEVEL", "MODE", "TOOLS", "MCP_TOKENS", "API_KEY", "NEO4J_PASSWORD", "DATA"}
    | {"RATE_LIMIT", "TRUSTED_PROXIES", "READ_SCOPE", "PERIODIC_JOBS", "CURIOSITY_WORKER", "MEMORY_CONSOLIDATE"}
    | {"WORKERS", "TRACES_URL"}
)


def told(environ: Mapping[str, str] = os.environ) -> str:
    """A digest of the settings that answers depend on: who was told something else opens an application of its own.

    >>> told({"CLAUSE_PORT": "1", "PATH": "x"}) == told({}), told({"CLAUSE_ABSTAIN_BELOW": "0.9"}) == told({})
    (True, False)
    """
    given = {
        name: value for name, value in environ.items() if value and name.startswith("CLAUSE_") and "_TEST_" not in name
    }
    settings = {name: value for name, value in given.items() if name.removeprefix("CLAUSE_") not in _OF_NO_ANSWER}
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class RunningService:
    """The service that runs at home here.

    Attributes:
        host, port: where it answers on this machine.
    """

    host: str
    port: int

    def post(self, path: str, body: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Any:
        """The JSON answer of a POST; None where nobody listens or our key does not open it: then it is done without.

        Raises:
            ClauseError: the service refuses, as its own error.
            UnavailableError: it broke off.
        """
        return self._ask("POST", path, environ, json.dumps(body).encode())

    def work(self, path: str, body: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> Any:
        """The job that a POST queues, once it has ended well; None as `post`.

        Raises:
            ClauseError: the service refuses, as its own error.
            UnavailableError: the job failed or was cancelled, or the service broke off.
        """
        job = self.post(path, body, environ)
        while job is not None and job["state"] in ("queued", "running"):
            time.sleep(_LOOK_EVERY_S)
            job = self.get(f"/api/jobs/{job['id']}", environ)
        if job is not None and job["state"] != "succeeded":
            said = job["error"] or "it was stopped"
            raise UnavailableError(f"the job {job['id']} {job['state']}: {said}", remedy="start it again: it goes on")
        return job

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON answer of a request by any method; as `post`."""
        return self._ask(method, path, os.environ, None if body is None else json.dumps(body).encode())

    def get(self, path: str, environ: Mapping[str, str] = os.environ) -> Any:
        """The JSON answer of a GET; as `post`."""
        return self._ask("GET", path, environ)

    def _ask(self, method: str, path: str, environ: Mapping[str, str], body: bytes | None = None) -> Any:
        headers = {"Content-Type": "application/json"}
        if key := environ.get("CLAUSE_API_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        connection = HTTPConnection(self.host, self.port, timeout=_CONNECT_S)
        try:
            connection.connect()
        except OSError:
            return None
        try:
            connection.sock.settimeout(_PATIENCE_S)
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            status, found = answer.status, json.loads(answer.read() or b"null")
        except (OSError, HTTPException, ValueError) as error:
            raise UnavailableError(
                f"the service at {self.host}:{self.port} broke off: {str(error) or type(error).__name__}",
                remedy="see `api.log` in its home folder, or stop it with `clause demo --stop`",
            ) from error
        finally:
            connection.close()
        if status in (401, 403) and "Authorization" not in headers:
            return None
        if status >= 400:
            raise of_problem(status, found, answer.getheader("Retry-After"))
        return found


def running(environ: Mapping[str, str] = os.environ) -> RunningService | None:
    """The service of the home folder that these variables name; None: none runs, or it was told something else."""
    try:
        record = json.loads((_home(environ) / STATE).read_bytes())
        details = record["details"]
        if details["told"] != told(environ) or not _lives(record["pid"], record["started_at"]):
            return None
        return RunningService(_EVERYWHERE.get(details["host"], details["host"]), int(details["port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def consolidated(scope: str | None, environ: Mapping[str, str] = os.environ) -> list[dict[str, Any]] | None:
    """Let a running service consolidate one scope, or each that has work, and tell what it did; None where none runs.

    Raises:
        ClauseError: the service refuses, or a job failed.
    """
    service = running(environ)
    known = service.get("/api/scopes", environ) if service and scope is None else {"items": [scope]}
    if service is None or known is None:
        return None
    done = []
    for one in known["items"]:
        job = service.work("/api/clusters/consolidate", {"scope": one}, environ)
        if job is None:
            return None
        counts = {name: job["cursor"].get(name, 0) for name in ("looked_at", "joined", "consolidated")}
        done.append({"job_id": job["id"], "scope": one, **counts})
    return [one for one in done if one["looked_at"] or scope is not None]


def _home(environ: Mapping[str, str]) -> Path:
    if given := environ.get("CLAUSE_HOME"):
        return Path(os.path.expanduser(given))  # as Settings do; what names nobody stays, and no service is there
    import platformdirs

    return Path(platformdirs.user_data_dir("clause"))


def _lives(pid: int, started_at: float) -> bool:
    """Tell whether the process that was recorded still runs: its pid alone may be another's by now."""
    import psutil

    try:
        return abs(psutil.Process(pid).create_time() - started_at) <= _SAME_START_S
    except psutil.Error:
        return False


def stop_everything(settings: Settings) -> dict[str, Any]:
    """Stop the API and the local Neo4j; what became of each."""
    from clause.cli import serve as service
    from clause.graph.server import ManagedServer

    stopped = {True: "stopped", False: "was not running"}
    api = stopped[service.stop(settings)]
    if settings.neo4j_uri is not None:
        return {"API": api, "Neo4j": "yours, left alone"}
    return {"API": api, "Neo4j": stopped[ManagedServer(settings.home, settings.neo4j_heap_mb).stop()]}
