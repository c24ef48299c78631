"""Driver errors in our own tree, told apart by class and status code, never by message."""

from __future__ import annotations

from collections.abc import Iterator

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConnectionAcquisitionTimeoutError,
    ConstraintError,
    DriverError,
    GqlError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
    UnsupportedServerProduct,
)

from clause.errors import (
    BadInputError,
    ClauseError,
    ConflictError,
    MigrationError,
    ServerError,
    UnavailableError,
)
from clause.graph.wire import RESTART, Address, AttemptError

_MIGRATE = "run `clause migrate`"
_TIMED_OUT = frozenset({"TransactionTimedOut", "TransactionTimedOutClientConfiguration", "LockAcquisitionTimeout"})
OUT_OF_MEMORY = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
"""The code of a statement that needs more memory than its transaction or the server may use."""

_TOO_BIG = frozenset({"MemoryPoolOutOfMemoryError", "StackOverFlowError", "OutOfMemoryError"})
_ENDED = frozenset({"Terminated", "TransactionTerminated", "LockClientStopped"})
_PANIC = frozenset({"TransactionStartFailed", "TransactionLogError", "TransactionCommitFailed"})
"""Titles of Neo.DatabaseError after which a database answers nothing until it is started again: its disk is full."""

_LEADS_NO_MORE = frozenset({"ForbiddenOnReadOnlyDatabase", "NotALeader"})
_NO_SCHEMA = frozenset({"IndexNotFound", "ConstraintNotFound", "IndexDropFailed"})
_NO_INDEX_GQL = frozenset({"22N69", "22NB9"})
_BAD_VECTOR_GQL = frozenset({"22NBG", "51N65", "22N16"})
_FULL_TEXT_GQL = "52N37"


def translate(error: BaseException, address: Address) -> AttemptError:  # noqa: PLR0911 -- one line for each kind
    """The fault that one failed try amounts to; `address` is named where the operator must act.

    Anything the driver did not raise, and a driver error that can only be our own bug, becomes a plain ClauseError.
    """
    if isinstance(error, Neo4jError):
        return _server_fault(error, address)
    if isinstance(error, TimeoutError):
        return AttemptError(_slow())
    if isinstance(error, IncompleteCommit):
        return AttemptError(_away(address), retry=True, unknown=True)
    if isinstance(error, (UnsupportedServerProduct, ConfigurationError)):
        return AttemptError(_stranger(address))
    if isinstance(error, ConnectionAcquisitionTimeoutError):
        busy = UnavailableError(f"every connection to {address.uri} is busy", remedy="raise CLAUSE_NEO4J_POOL_SIZE")
        return AttemptError(busy)
    if isinstance(error, (ServiceUnavailable, SessionExpired, OSError)):
        return AttemptError(_away(address), retry=True)
    if isinstance(error, (UnicodeError, OverflowError)):
        remedy = "send valid Unicode and integers of 64 bits"
        return AttemptError(BadInputError("a value cannot be stored", remedy=remedy))
    kind = type(error).__name__
    if isinstance(error, DriverError):
        return AttemptError(ClauseError(f"the driver refused the work ({kind})"))
    return AttemptError(ClauseError(f"sending to the database failed ({kind})"))


def _server_fault(error: Neo4jError, address: Address) -> AttemptError:  # noqa: PLR0911 -- one line for each kind of code
    code = error.code or ""
    title = code.rpartition(".")[2]
    statuses = set(_gql_statuses(error))
    if isinstance(error, AuthError) or ".Security." in code:
        return AttemptError(_refused(address))
    if title in _TOO_BIG:
        return AttemptError(_too_big())
    if title in _TIMED_OUT:
        return AttemptError(_slow())
    if title in _ENDED:
        return AttemptError(UnavailableError("the statement was ended by the server", remedy="try again"))
    if title in _LEADS_NO_MORE:
        return AttemptError(UnavailableError(f"the database at {address.uri} takes no writes now"), retry=True)
    if isinstance(error, ConstraintError):
        return AttemptError(ConflictError("something with the same key is already stored"))
    if title in _NO_SCHEMA or statuses & _NO_INDEX_GQL:
        return AttemptError(MigrationError("an index that the statement needs is missing", remedy=_MIGRATE))
    if title == "DatabaseNotFound":
        missing = ServerError(f"{address.uri} has no database {address.database!r}", remedy="set CLAUSE_NEO4J_DATABASE")
        return AttemptError(missing)
    if statuses & _BAD_VECTOR_GQL:
        return AttemptError(
            BadInputError("the vector has the wrong length or no direction", bound="the index's dimension")
        )
    if _FULL_TEXT_GQL in statuses:
        return AttemptError(BadInputError("the search failed", remedy=f"escape the text, or {_MIGRATE}"))
    if error.is_retryable():
        return AttemptError(_away(address) if title == "DatabaseUnavailable" else _lost_a_race(), retry=True)
    if isinstance(error, TransientError) or code.startswith("Neo.DatabaseError."):
        remedy = RESTART if title in _PANIC else "see `clause db logs`"
        return AttemptError(UnavailableError(f"the database failed ({code})", remedy=remedy))
    return AttemptError(ClauseError(f"the database refused the statement ({code})", details={"code": code}))


def _gql_statuses(error: GqlError) -> Iterator[str]:
    cause: BaseException | None = error
    while isinstance(cause, GqlError):
        yield cause.gql_status
        cause = cause.__cause__


def _away(address: Address) -> UnavailableError:
    return UnavailableError(
        f"no Neo4j answers at {address.uri}", remedy="start it (`clause db start`) or mend CLAUSE_NEO4J_URI"
    )


def _slow() -> UnavailableError:
    return UnavailableError("the statement took longer than its limit", remedy="ask for less, or try again")


def _too_big() -> UnavailableError:
    return UnavailableError("the statement needs more memory than the server gives", remedy="ask for less")


def _lost_a_race() -> UnavailableError:
    return UnavailableError("other writers held the same nodes too long", remedy="try again")


def _refused(address: Address) -> ServerError:
    return ServerError(
        f"Neo4j at {address.uri} refuses user {address.user!r} with this password",
        remedy="set CLAUSE_NEO4J_USER and CLAUSE_NEO4J_PASSWORD",
    )


def _stranger(address: Address) -> ServerError:
    return ServerError(
        f"what answers at {address.uri} is another service than Neo4j, or a Neo4j that is too old",
        remedy="set CLAUSE_NEO4J_URI to the Bolt address of Neo4j 2026.01 or newer",
    )
