"""The wire to Neo4j by its async driver: explicit database, access mode, timeout and causal bookmarks; no retries. And
the rows of somebody else's graph, with their values as ours are kept."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple

import neo4j
from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncResult, AsyncSession, AsyncTransaction, GraphDatabase, Query
from neo4j.exceptions import ConfigurationError, TransientError

from clause.errors import ClauseError, NotFoundError
from clause.graph.catalogue import Statement
from clause.graph.codec import decode, encode
from clause.graph.exploration import explore
from clause.graph.faults import OUT_OF_MEMORY, translate
from clause.graph.wire import Address, AttemptError, ExplorationLimits, ExplorationResult, Rows, Work

_GRACE_S = 5.0  # the server ends a statement at its limit; only a silent server is given up by us, this much later
_EXPLORED_S = 1.0
_CONNECT_S = 5.0
_ACQUIRE_S = 10.0
_LIFETIME_S = 1800.0
_LIVENESS_S = 30.0
_SCHEMES = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})


class Bolt:
    """Implements `Wire`. Sessions live for one call and are never shared between tasks; bookmarks chain the calls."""

    def __init__(self, address: Address, *, pool_size: int = 50) -> None:
        self._address = address
        self._pool_size = pool_size
        self._driver: AsyncDriver | None = None
        self._bookmarks: Any = None

    async def open(self) -> None:
        """Make the driver; it connects with the first statement.

        Raises:
            ServerError: the address is not one of Neo4j's.
        """
        try:
            _check_scheme(self._address)
            self._driver = AsyncGraphDatabase.driver(
                self._address.uri,
                auth=(self._address.user, self._address.password.get_secret_value()),
                max_connection_pool_size=self._pool_size,
                connection_timeout=_CONNECT_S,
                connection_acquisition_timeout=_ACQUIRE_S,
                max_connection_lifetime=_LIFETIME_S,
                liveness_check_timeout=_LIVENESS_S,
                max_transaction_retry_time=0,
                telemetry_disabled=True,
                notifications_min_severity="OFF",
                user_agent="clause",
            )
        except (ConfigurationError, ValueError) as error:
            raise translate(ConfigurationError(), self._address).error from error
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()

    async def close(self) -> None:
        """Close every connection."""
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.close()

    async def send(self, work: Work, *, read: bool, atomic: bool, timeout_s: float) -> list[Rows]:
        """One try; see `Wire.send`."""
        try:
            encoded = [(statement, encode(parameters)) for statement, parameters in work]
            async with asyncio.timeout(timeout_s + _GRACE_S), self._session(read=read) as session:
                if atomic:
                    return await _in_one_transaction(session, encoded, timeout_s)
                ((statement, parameters),) = encoded
                return [await _alone(session, statement, parameters, timeout_s)]
        except (ClauseError, AttemptError):
            raise
        except Exception as error:
            raise translate(error, self._address) from error

    async def begin(self, *, timeout_s: float) -> BoltTransaction:
        """An open writing transaction; see `Wire.begin`."""
        session = self._session(read=False)
        try:
            return BoltTransaction(session, await session.begin_transaction(timeout=timeout_s), self._address)
        except BaseException as error:
            await session.close()
            if isinstance(error, Exception):
                raise translate(error, self._address) from error
            raise

    async def explore(self, text: str, parameters: Mapping[str, Any], limits: ExplorationLimits) -> ExplorationResult:
        """One try; see `Wire.explore`."""
        try:
            async with asyncio.timeout(limits.timeout_s + _EXPLORED_S), self._session(read=True) as session:
                return await explore(session, text, parameters, limits, self._address.database)
        except (ClauseError, AttemptError):
            raise
        except Exception as error:
            raise translate(error, self._address) from error

    async def agent(self) -> str:
        """Ask the server what it calls itself."""
        try:
            info = await self._opened().get_server_info()
        except Exception as error:
            raise translate(error, self._address) from error
        return info.agent

    def _session(self, *, read: bool) -> AsyncSession:
        return self._opened().session(
            database=self._address.database,
            default_access_mode=neo4j.READ_ACCESS if read else neo4j.WRITE_ACCESS,
            bookmark_manager=self._bookmarks,
        )

    def _opened(self) -> AsyncDriver:
        if self._driver is None:
            raise ClauseError("the connection is closed")
        return self._driver


class BoltTransaction:
    """Implements `OpenTransaction`."""

    def __init__(self, session: AsyncSession, transaction: AsyncTransaction, address: Address) -> None:
        self._session = session
        self._transaction = transaction
        self._address = address

    async def send(self, work: Work, *, timeout_s: float) -> list[Rows]:
        """The rows of each statement; see `OpenTransaction.send`."""
        try:
            encoded = [(statement, encode(parameters)) for statement, parameters in work]
            async with asyncio.timeout(timeout_s + _GRACE_S):
                return [await _rows(await self._transaction.run(one.text, given)) for one, given in encoded]
        except (ClauseError, AttemptError):
            raise
        except Exception as error:
            raise translate(error, self._address) from error

    async def commit(self) -> None:
        """Keep all that was done."""
        try:
            await self._transaction.commit()
        except Exception as error:
            raise translate(error, self._address) from error

    async def close(self) -> None:
        """Take back what was not committed, and give the connection back."""
        with suppress(Exception):
            await self._transaction.close()
        with suppress(Exception):
            await self._session.close()


def _check_scheme(address: Address) -> None:
    """Refuse what is not Bolt: the driver would take http:// too, with other guarantees."""
    scheme = address.uri.partition("://")[0]
    if scheme not in _SCHEMES:
        raise ConfigurationError(f"{scheme} is none of {', '.join(sorted(_SCHEMES))}")


async def _in_one_transaction(
    session: AsyncSession, work: list[tuple[Statement, dict[str, Any]]], timeout_s: float
) -> list[Rows]:
    async with await session.begin_transaction(timeout=timeout_s) as transaction:
        found = [await _rows(await transaction.run(statement.text, parameters)) for statement, parameters in work]
        await transaction.commit()
    return found


async def _alone(session: AsyncSession, statement: Statement, parameters: dict[str, Any], timeout_s: float) -> Rows:
    """Rows of one auto-commit transaction: packed into one record, or one by one where the server cannot hold them."""
    if statement.packed is not None:
        try:
            return await _unpacked(await session.run(Query(statement.packed, timeout=timeout_s), parameters), statement)
        except TransientError as error:
            if error.code != OUT_OF_MEMORY:
                raise
    return await _rows(await session.run(Query(statement.text, timeout=timeout_s), parameters))


async def _unpacked(result: AsyncResult, statement: Statement) -> Rows:
    record = await result.single(strict=True)
    return [dict(zip(statement.columns, decode(row), strict=True)) for row in record["rows"]]


async def _rows(result: AsyncResult) -> Rows:
    columns = result.keys()
    return [
        {column: decode(value) for column, value in zip(columns, record.values(), strict=True)}
        async for record in result
    ]


def foreign_rows(address: Address, statement: Statement, parameters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a statement on somebody else's graph, one after the other as they are read; nothing is written there.

    The server may be older than ours: the statement is sent without the version of its language.

    Raises:
        ServerError: the address, the database or the password is not right.
        UnavailableError: nobody answers, or the connection broke.
    """
    try:
        _check_scheme(address)
        auth = (address.user, address.password.get_secret_value())
        told: dict[str, Any] = {"telemetry_disabled": True, "notifications_min_severity": "OFF", "user_agent": "clause"}
        with (
            GraphDatabase.driver(address.uri, auth=auth, connection_timeout=_CONNECT_S, **told) as driver,
            driver.session(
                database=address.database, default_access_mode=neo4j.READ_ACCESS, fetch_size=2000
            ) as session,
        ):
            for record in session.run(Query(statement.text.removeprefix("CYPHER 25 ")), dict(parameters)):
                yield dict(zip(record.keys(), map(decode, record.values()), strict=True))
    except (ClauseError, GeneratorExit):
        raise
    except Exception as error:
        fault = translate(error, address).error
        remedy = "check --uri, --user, --database and the password in SOURCE_NEO4J_PASSWORD"
        raise type(fault)(fault.message, remedy=remedy, field="uri") from error


NAME_PROPERTIES = ("name", "title", "label", "displayName", "display_name", "fullName", "full_name", "username", "id")
"""The properties that may hold a node's name, the first that it has."""
CLASS_RELATION = "is_a"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


class ForeignEnd(NamedTuple):
    """An end of what somebody else's graph says: a node with its identity there, a class, or a value."""

    name: str
    kind: str = "concept"
    identity: str = ""


ForeignTriple = tuple[ForeignEnd, str, ForeignEnd, tuple[tuple[str, Any], ...]]


def foreign_size(
    address: Address, statements: Mapping[str, Statement], labels: Sequence[str], names: Sequence[str], *, title: str
) -> int:
    """The number of nodes, labels, properties and relationships that `foreign_triples` reads.

    Raises:
        NotFoundError: it has no node with such a label; the message calls the graph by its `title`.
        ServerError, UnavailableError: as `foreign_rows`.
    """
    asked = {"labels": [*labels], "names": [*names, *NAME_PROPERTIES]}
    (counts,) = foreign_rows(address, statements["counts"], asked)
    if unknown := sorted({*labels} - {*counts["known"]}):
        known, told = ", ".join(counts["known"][:20]) or "none", f"{title} has no node with the label {unknown[0]}"
        raise NotFoundError(told, remedy=f"it has: {known}", field="label")
    return int(counts["things"])


def foreign_triples(
    address: Address, statements: Mapping[str, Statement], labels: Sequence[str], names: Sequence[str]
) -> Iterator[ForeignTriple]:
    """Start, relation, end and kept properties of all that somebody else's graph says: of nodes with one of `labels`
    (none: all), each called by the first of `names` and `NAME_PROPERTIES` that it has.

    Raises:
        ServerError, UnavailableError: as `foreign_rows`.
    """

    def rows(of: str) -> Iterator[dict[str, Any]]:
        return foreign_rows(address, statements[of], {"labels": [*labels], "names": [*names, *NAME_PROPERTIES]})

    def node(identity: str, classes: Sequence[str], name: Any) -> ForeignEnd:
        said = unicodedata.normalize("NFC", next(iter(literal_texts(name)), ""))
        known = said or f"{classes[0] if classes else 'node'} {identity.rpartition(':')[2]}"
        return ForeignEnd(known, "concept", f"{address.database}/{identity}")

    for row in rows("nodes"):
        one = node(row["id"], row["labels"], row["name"])
        yield from ((one, CLASS_RELATION, ForeignEnd(_HUMP.sub(" ", label).strip()), ()) for label in row["labels"])
        for name, value in sorted(row["properties"].items()):
            if name != row["named_by"]:
                yield from ((one, name, ForeignEnd(text, "literal"), ()) for text in literal_texts(value))
    for row in rows("relationships"):
        head = node(row["head"], row["head_labels"], row["head_name"])
        tail = node(row["tail"], row["tail_labels"], row["tail_name"])
        yield head, row["type"], tail, kept_properties(row["properties"])


_CLOCKS = frozenset({"valid_from", "valid_until", "recorded_at", "retracted_at"})
OWN_PROPERTIES = _CLOCKS | {"scope", "weight", "strength", "source_id", "version"}
"""Properties of relationships that are ours, whatever else a source says of them."""


def literal_texts(value: Any) -> list[str]:
    """A property's value as texts that are read as dates, numbers and truths again; of a list each; none of bytes.

    >>> literal_texts(True), literal_texts([1, 2.5]), literal_texts(date(2020, 1, 5)), literal_texts(b"x")
    (['true'], ['1', '2.5'], ['2020-01-05'], [])
    """
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return [text for one in value for text in literal_texts(one)]
    if value is None or isinstance(value, bytes | bytearray):
        return []
    if isinstance(value, bool):
        return [str(value).lower()]
    if hasattr(value, "iso_format"):
        return [str(value.iso_format())]
    text = value.isoformat() if isinstance(value, date) else str(value)
    return [text.strip()] if text.strip() else []


def kept_properties(properties: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """A relationship's properties as they are kept on ours: times of day, durations and points as texts, vectors as
    lists; what would hide one of our own gets the prefix kg_, and a name has no line breaks, which no archive takes.

    >>> kept_properties({"role": "Kes", "weight": 3, "at\\tthe  time": 1})
    (('at the time', 1), ('kg_weight', 3), ('role', 'Kes'))
    """
    told = ((_kept_name(name), _kept(value)) for name, value in properties.items())
    kept = ((f"kg_{name}" if name in OWN_PROPERTIES else name, value) for name, value in told)
    return tuple(sorted(kept, key=lambda one: one[0]))


_LONGEST_NAME = 1000


def _kept_name(name: str) -> str:
    shown = "".join(letter if letter >= " " else " " for letter in name)
    return " ".join(shown.split())[:_LONGEST_NAME].strip() or "_"


def _kept(value: Any) -> Any:
    if isinstance(value, list):
        return [_kept(one) for one in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return literal_texts(value)[0] if isinstance(value, tuple) or hasattr(value, "iso_format") else value
