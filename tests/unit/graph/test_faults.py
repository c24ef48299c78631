from __future__ import annotations

import pytest
from neo4j.exceptions import (
    ConfigurationError,
    ConnectionAcquisitionTimeoutError,
    IncompleteCommit,
    Neo4jError,
    ResultConsumedError,
    ServiceUnavailable,
    SessionExpired,
    UnsupportedServerProduct,
)

from clause.errors import BadInputError, ClauseError, ConflictError, MigrationError, ServerError, UnavailableError
from clause.graph.faults import translate
from tests.unit.graph.wires import ADDRESS


def of_code(code: str) -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message="secret detail of the server")


@pytest.mark.parametrize(
    ("code", "kind", "retry"),
    [
        ("Neo.ClientError.Security.Unauthorized", ServerError, False),
        ("Neo.ClientError.Security.AuthenticationRateLimit", ServerError, False),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", ConflictError, False),
        ("Neo.ClientError.Schema.IndexNotFound", MigrationError, False),
        ("Neo.ClientError.Database.DatabaseNotFound", ServerError, False),
        ("Neo.ClientError.Transaction.TransactionTimedOut", UnavailableError, False),
        ("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", UnavailableError, False),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", UnavailableError, False),
        ("Neo.TransientError.Transaction.DeadlockDetected", UnavailableError, True),
        ("Neo.TransientError.General.DatabaseUnavailable", UnavailableError, True),
        ("Neo.ClientError.Cluster.NotALeader", UnavailableError, True),
        ("Neo.DatabaseError.Transaction.TransactionCommitFailed", UnavailableError, False),
        ("Neo.ClientError.Transaction.Terminated", UnavailableError, False),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", UnavailableError, True),
        ("Neo.TransientError.General.Unheard", UnavailableError, True),
        ("Neo.ClientError.Statement.SyntaxError", ClauseError, False),
        ("Neo.ClientError.Statement.AccessMode", ClauseError, False),
    ],
)
def test_server_errors_are_told_apart_by_code(code: str, kind: type[ClauseError], retry: bool):
    fault = translate(of_code(code), ADDRESS)
    assert type(fault.error) is kind
    assert fault.retry is retry
    assert "secret detail" not in str(fault.error)


@pytest.mark.parametrize(
    ("error", "kind", "retry", "unknown"),
    [
        (ServiceUnavailable("x"), UnavailableError, True, False),
        (SessionExpired("x"), UnavailableError, True, False),
        (ConnectionRefusedError(), UnavailableError, True, False),
        (IncompleteCommit("x"), UnavailableError, True, True),
        (ConnectionAcquisitionTimeoutError("x"), UnavailableError, False, False),
        (TimeoutError(), UnavailableError, False, False),
        (UnsupportedServerProduct("x"), ServerError, False, False),
        (ConfigurationError("x"), ServerError, False, False),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "x"), BadInputError, False, False),
        (OverflowError(), BadInputError, False, False),
        (ResultConsumedError(None, "x"), ClauseError, False, False),
        (KeyError("x"), ClauseError, False, False),
    ],
)
def test_driver_errors_are_told_apart_by_class(error: Exception, kind: type[ClauseError], retry: bool, unknown: bool):
    fault = translate(error, ADDRESS)
    assert type(fault.error) is kind
    assert (fault.retry, fault.unknown) == (retry, unknown)


def test_a_chain_of_status_codes_is_followed_to_its_end():
    error = of_code("Neo.ClientError.Statement.ArgumentError")
    assert type(translate(error, ADDRESS).error) is ClauseError
    error.__cause__ = ValueError("not of the server")
    assert type(translate(error, ADDRESS).error) is ClauseError


def test_messages_name_the_way_out_and_never_the_password():
    messages = {
        code: str(translate(of_code(code), ADDRESS).error)
        for code in (
            "Neo.ClientError.Security.Unauthorized",
            "Neo.ClientError.Schema.IndexNotFound",
            "Neo.ClientError.Database.DatabaseNotFound",
        )
    }
    ways = ["CLAUSE_NEO4J_PASSWORD", "clause migrate", "CLAUSE_NEO4J_DATABASE"]
    assert all(way in message for way, message in zip(ways, messages.values(), strict=True))
    assert not any("hush" in message or "\n" in message for message in messages.values())


@pytest.mark.parametrize("title", ["TransactionLogError", "TransactionStartFailed"])
def test_a_database_that_panicked_says_that_it_must_be_started_again(title: str):
    error = translate(of_code(f"Neo.DatabaseError.Transaction.{title}"), ADDRESS).error
    assert error.remedy == "free disk space if there is none, then run `clause db stop` and `clause db start`"
    assert translate(of_code("Neo.DatabaseError.General.UnknownError"), ADDRESS).error.remedy == "see `clause db logs`"
