"""A member of a Neo4j cluster as far as the driver sees one: it speaks Bolt 5.4, answers ROUTE from a table, and keeps
what it was asked. Nothing is stored: a statement gives one row, a commit the next bookmark.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from neo4j._codec.packstream.v1 import PackableBuffer, Packer, UnpackableBuffer, Unpacker

VERSION = b"\x00\x00\x04\x05"
NOT_A_LEADER = "Neo.ClientError.Cluster.NotALeader"
SUCCESS, RECORD, FAILURE, IGNORED = b"\x70", b"\x71", b"\x7f", b"\x7e"


@dataclass
class Asked:
    """A statement that a member was asked.

    Attributes:
        text: of the statement.
        read: it came in a READ session.
        bookmarks: what the member had to have before.
    """

    text: str
    read: bool
    bookmarks: frozenset[str]


@dataclass
class Cluster:
    """Which members there are, by role; a change is told to whoever asks for the table again."""

    leader: str = ""
    followers: list[str] = field(default_factory=list)
    commits: int = 0

    def table(self) -> dict[str, Any]:
        """The routing table; it holds for a long time, so that only a fault makes a driver ask again."""
        everyone = [self.leader, *self.followers]
        roles = {"WRITE": [self.leader], "READ": self.followers, "ROUTE": everyone}
        servers = [{"role": role, "addresses": addresses} for role, addresses in roles.items()]
        return {"rt": {"ttl": 3600, "db": "neo4j", "servers": servers}}


class Member:
    """One member; `address` is where it listens."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.address = ""
        self.asked: list[Asked] = []
        self._extra: dict[str, Any] = {}
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Member]:
        """Answer on a free port of the loopback while the block runs."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            self.stop()

    def stop(self) -> None:
        """Break off every connection, and take no other."""
        if self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            await reader.readexactly(20)
            writer.write(VERSION)
            failed = False
            while True:
                tag, fields = await _received(reader)
                if tag == 0x02:  # GOODBYE
                    return
                failed = failed and tag != 0x0F  # RESET
                for kind, *told in [(IGNORED,)] if failed else self._answers(tag, fields):
                    _send(writer, kind, told)
                    failed = failed or kind == FAILURE
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self._writers.discard(writer)
            writer.close()

    def _answers(self, tag: int, fields: list[Any]) -> list[tuple[Any, ...]]:
        match tag:
            case 0x66:  # ROUTE
                return [(SUCCESS, self.cluster.table())]
            case 0x11:  # BEGIN
                self._extra = {"mode": "w", **fields[0]}
            case 0x10:  # RUN
                extra = fields[2] or self._extra
                read, bookmarks = extra.get("mode") == "r", frozenset(extra.get("bookmarks", ()))
                self.asked.append(Asked(fields[0], read, bookmarks))
                if not read and self.address != self.cluster.leader:
                    return [(FAILURE, {"code": NOT_A_LEADER, "message": "no longer"})]
                return [(SUCCESS, {"fields": ["rows" if "AS rows" in fields[0] else "one"], "t_first": 0})]
            case 0x3F:  # PULL
                last = self.asked[-1]
                ended = {"type": "rw"} if self._extra else self._ended(last)
                return [(RECORD, [[[1]] if "AS rows" in last.text else 1]), (SUCCESS, ended)]
            case 0x12:  # COMMIT
                self._extra = {}
                return [(SUCCESS, self._ended(self.asked[-1]))]
            case 0x0F:  # RESET
                self._extra = {}
        return [(SUCCESS, {"server": "Neo4j/2026.08.1", "connection_id": "bolt-1", "hints": {}})]

    def _ended(self, last: Asked) -> dict[str, Any]:
        self.cluster.commits += not last.read
        return {"bookmark": f"after:{self.cluster.commits}", "type": "r", "t_last": 0, "db": "neo4j"}


async def _received(reader: asyncio.StreamReader) -> tuple[int, list[Any]]:
    message = b""
    while size := int.from_bytes(await reader.readexactly(2), "big"):
        message += await reader.readexactly(size)
    if not message:
        return await _received(reader)
    buffer = UnpackableBuffer(message[2:])
    unpacker = Unpacker(buffer)
    return message[1], [unpacker.unpack() for _ in range(message[0] & 0x0F)]


def _send(writer: asyncio.StreamWriter, kind: bytes, told: list[Any]) -> None:
    buffer = PackableBuffer()
    Packer(buffer).pack_struct(kind, told)
    writer.write(len(buffer.data).to_bytes(2, "big") + bytes(buffer.data) + b"\x00\x00")
