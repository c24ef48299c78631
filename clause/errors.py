"""Every error that `clause` raises on purpose, in one tree.

ClauseError
├── BadInputError            the caller can mend it                               400
│   ├── OutOfBoundsError     a value outside its bounds                           422
│   └── AmbiguousNameError   a name that several nodes carry                      409
├── NotFoundError            nothing there by that id or name                     404
├── UnauthorizedError        no API key, or one that is unknown or revoked        401
├── ForbiddenError           outside the caller's scopes                          403
├── ConflictError            the state has moved on                               409
│   └── PreconditionError    If-Match names another version                       412
├── BudgetError              an action that a budget forbids (a bug, never a user's fault)
├── SetupError               the installation needs the operator (a RuntimeError)
│   ├── SettingsError        a CLAUSE_* variable is unknown or wrong
│   ├── ServerError          the managed Neo4j cannot be fetched, started or reached
│   ├── MigrationError       the schema drifted or a migration is locked or broken
│   └── EmbedderMismatchError   the graph was embedded by another model: `clause reembed`
└── UnavailableError         the database is away (a RuntimeError); try later     503

Doors go by `status` (of HTTP) and `code` (in problem documents and `--json`); `field` and `bound` name the wrong input.
"""

from __future__ import annotations

from typing import Any


class ClauseError(Exception):
    """The root. `message` says what happened, `remedy` what to do about it.

    >>> str(NotFoundError("no entity is called 'Rosebud'", remedy="check the spelling"))
    "no entity is called 'Rosebud'; check the spelling"
    """

    status: int = 500
    code: str = "internal"

    def __init__(
        self,
        message: str,
        *,
        remedy: str | None = None,
        field: str | None = None,
        bound: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        self.message = message
        self.remedy = remedy
        self.field = field
        self.bound = bound
        self.details = details or {}
        super().__init__(f"{message}; {remedy}" if remedy else message)


class BadInputError(ClauseError):
    """The caller can mend it."""

    status = 400
    code = "bad_input"


class OutOfBoundsError(BadInputError):
    """A value outside its bounds: `field` and `bound` are set."""

    status = 422
    code = "out_of_bounds"


class AmbiguousNameError(BadInputError):
    """A name that several nodes carry: `details["candidates"]` lists them."""

    status = 409
    code = "ambiguous_name"


class NotFoundError(ClauseError):
    """Nothing is there by that id or name, or nothing that this caller may see."""

    status = 404
    code = "not_found"


class UnauthorizedError(ClauseError):
    """No API key came where one is needed, or one that is unknown or revoked; which of them is not told."""

    status = 401
    code = "unauthorized"


class ForbiddenError(ClauseError):
    """Outside the caller's scopes."""

    status = 403
    code = "forbidden"


class ConflictError(ClauseError):
    """The state has moved on since the caller looked."""

    status = 409
    code = "conflict"


class PreconditionError(ConflictError):
    """If-Match names another version than the stored one."""

    status = 412
    code = "precondition_failed"


class BudgetError(ClauseError):
    """An action that a budget forbids. Masks make it impossible: seeing it is a bug."""

    code = "budget"


class SetupError(ClauseError, RuntimeError):
    """The installation needs the operator."""

    status = 503
    code = "setup"


class SettingsError(SetupError):
    """A CLAUSE_* variable is unknown or wrong."""

    code = "settings"


class ServerError(SetupError):
    """The managed Neo4j cannot be fetched, started or reached."""

    code = "server"


class MigrationError(SetupError):
    """The schema drifted, or a migration is locked or broken."""

    code = "migration"


class EmbedderMismatchError(SetupError):
    """The graph was embedded by another model or dimension."""

    code = "embedder_mismatch"


class UnavailableError(ClauseError, RuntimeError):
    """The database is away; `retry_after_s` says when to try again."""

    status = 503
    code = "unavailable"

    def __init__(self, message: str, *, retry_after_s: int = 2, **context: Any) -> None:
        super().__init__(message, **context)
        self.retry_after_s = retry_after_s


_KINDS = (UnauthorizedError, ForbiddenError, NotFoundError, ConflictError, PreconditionError, OutOfBoundsError)
_USUAL: dict[int, type[ClauseError]] = {k.status: k for k in _KINDS} | {429: UnavailableError, 503: UnavailableError}
_OURS = {"type", "title", "status", "detail", "instance", "code", "field", "bound", "remedy", "request_id"}


def of_problem(status: int, problem: Any, retry_after: str | None = None) -> ClauseError:
    """The error that a service told in a problem document, as raised in this process; `retry_after` is the header."""
    said = problem if isinstance(problem, dict) else {}
    usual = _USUAL.get(status, BadInputError if 400 <= status < 500 else ClauseError)
    kind = next((kind for kind in _below(ClauseError) if kind.code == said.get("code")), usual)
    field, message = said.get("field"), str(said.get("detail") or f"the service answered {status}")
    known = f"{field}: {message}" if field and field not in message else message
    more = {name: value for name, value in said.items() if name not in _OURS}
    error = kind(known, remedy=said.get("remedy"), field=field, bound=said.get("bound"), details=more)
    error.status, error.code = status, str(said.get("code") or kind.code)  # of a class that is not loaded here, too
    if isinstance(error, UnavailableError) and retry_after and retry_after.isdecimal():
        error.retry_after_s = int(retry_after)
    return error


def _below(kind: type[ClauseError]) -> list[type[ClauseError]]:
    return [kind, *(found for one in kind.__subclasses__() for found in _below(one))]
