"""The listening socket on a real loopback: what it accepts sends small answers at once."""

import asyncio
import socket

import pytest

from clause.operations.listening import listen


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_an_accepted_connection_waits_for_no_acknowledgement(host: str) -> None:
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def look(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection: socket.socket = writer.get_extra_info("socket")
        accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with listen(host, 0) as listener:
        async with await asyncio.start_server(look, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
            assert await asyncio.wait_for(accepted, 10)
            writer.close()
