import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
from httpx import ASGITransport, AsyncClient

from clause.api import app as server
from clause.errors import SettingsError, UnavailableError
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.unit.api.fakes import FakeContainer


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_loopback_is_listened_on_at_a_free_port(host: str) -> None:
    with server.listen(host, 0) as listener:
        assert listener.getsockname()[1] > 0
        socket.create_connection(listener.getsockname()).close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "example.org", ""])
def test_any_other_address_is_refused(host: str) -> None:
    with pytest.raises(SettingsError, match="not the loopback") as refused:
        server.listen(host, 0)
    assert refused.value.field == "host"


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_with_keys_any_address_of_this_machine_is_listened_on(host: str) -> None:
    with server.listen(host, 0, keyed=True) as listener:
        assert listener.getsockname()[1] > 0


def test_a_port_that_is_taken_is_one_clear_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(SettingsError, match=f"port {port} of 127.0.0.1 is taken by another program"):
            server.listen("127.0.0.1", port)


def test_what_is_wrong_at_the_start_is_our_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def away(settings: Settings, metrics: Metrics) -> AsyncIterator[FakeContainer]:
        raise UnavailableError("Neo4j is away")
        yield

    with server.listen("127.0.0.1", 0) as listener, pytest.raises(UnavailableError):
        server.run(Settings(), listener, opener=away)


def test_the_application_is_served_on_our_socket_while_the_container_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    container = FakeContainer()
    seen: list[tuple[int, bool]] = []

    @asynccontextmanager
    async def opener(settings: Settings, metrics: Metrics) -> AsyncIterator[FakeContainer]:
        yield container
        container.closed = True

    class Server:
        def __init__(self, config: uvicorn.Config) -> None:
            self.app = config.app

        async def serve(self, sockets: list[socket.socket]) -> None:
            assert sockets == [listener]
            async with (
                self.app.router.lifespan_context(self.app),
                AsyncClient(transport=ASGITransport(self.app), base_url="http://localhost") as client,
            ):
                seen.append(((await client.get("/health/ready")).status_code, container.closed))

    monkeypatch.setattr(uvicorn, "Server", Server)
    with server.listen("127.0.0.1", 0) as listener:
        server.run(Settings(), listener, opener=opener)
    assert seen == [(200, False)]
    assert container.closed
