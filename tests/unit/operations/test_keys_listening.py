"""The listening socket on a real loopback: what it accepts sends small answers at once."""

import asyncio
import signal
import socket
import subprocess
import sys

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


SERVING = """
import asyncio, sys
from clause.operations.listening import listen, serve, server_of
from clause.settings import Settings

async def application(scope, receive, send):
    await receive()
    await send({"type": "lifespan.startup.complete"})
    print("up", flush=True)
    await receive()
    await send({"type": "lifespan.shutdown.complete"})

async def run():
    try:
        await serve(server_of(application, Settings()), listen("127.0.0.1", 0))
    finally:
        await asyncio.sleep(0.1)
        print("closed", flush=True)

asyncio.run(run())
"""


def test_who_is_terminated_closes_what_is_open() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVING], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "closed\n"
        assert process.wait(10) == 0
