from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from clause.graph.server import layout as ports
from clause.graph.server.layout import Ports


@pytest.fixture
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_port_that_somebody_listens_on_is_not_free(listener: int) -> None:
    assert ports.answers(listener)
    assert not ports.is_free(listener)


@pytest.mark.parametrize(
    ("answer", "speaks"),
    [(bytes([0, 0, 8, 5]), True), (bytes(4), False), (b"HTTP/1.1 400 Bad Request", False), (b"", False)],
)
def test_only_what_agrees_on_a_version_speaks_bolt(answer: bytes, speaks: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def reply() -> None:
            with server.accept()[0] as client:
                assert client.recv(20).startswith(bytes.fromhex("6060b017"))
                client.sendall(answer)

        answering = threading.Thread(target=reply)
        answering.start()
        assert ports.speaks_bolt(server.getsockname()[1]) is speaks
        answering.join()


def test_who_listens_and_says_nothing_speaks_no_bolt(listener: int) -> None:
    assert not ports.speaks_bolt(listener, timeout_s=0.05)


def test_a_port_that_somebody_holds_without_listening_is_not_free() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        assert not ports.answers(port)
        assert not ports.is_free(port)


def test_free_ports_are_free_and_differ() -> None:
    found = ports.free_ports(3)
    assert len(set(found)) == 3
    assert all(ports.is_free(port) for port in found)


def test_the_usual_ports_are_taken_when_nobody_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda port: True)
    assert ports.choose() == Ports(bolt=7687, http=7474)


def test_the_last_ports_are_taken_again_so_that_open_drivers_find_the_server() -> None:
    last = Ports(*ports.free_ports(2))
    assert ports.choose(last) == last


def test_when_the_last_ports_are_taken_the_usual_ones_come_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "is_free", lambda port: port in {7687, 7474})
    assert ports.choose(Ports(bolt=1, http=2)) == Ports(bolt=7687, http=7474)


def test_when_the_usual_ports_are_taken_by_anyone_free_ones_are_used(
    monkeypatch: pytest.MonkeyPatch, listener: int
) -> None:
    real = ports.is_free
    monkeypatch.setattr(ports, "is_free", lambda port: port not in {7687, 7474} and real(port))
    chosen = ports.choose(Ports(bolt=listener, http=listener))
    assert chosen.bolt != chosen.http
    assert real(chosen.bolt)
    assert real(chosen.http)


def test_after_a_lost_race_the_usual_ports_are_not_tried_again() -> None:
    chosen = ports.choose(strangers=True)
    assert not {chosen.bolt, chosen.http} & {7687, 7474}
