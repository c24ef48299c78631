"""Which ports the server listens on: the last ones, else the usual ones, else free ones."""

from __future__ import annotations

import socket

from clause.graph.server.layout import Ports

HOST = "127.0.0.1"
_BOLT = bytes.fromhex("6060b017 00080805 00000004 00000000 00000000")
"""How a client of Bolt begins: the magic number, then versions (5.8 to 5.0, 4.0, none, none)."""


def choose(preferred: Ports | None = None, *, strangers: bool = False) -> Ports:
    """Ports that nobody listens on now. `strangers`: take any free ones, for the usual ones were lost to somebody."""
    if strangers:
        return Ports(*free_ports(2))
    first = preferred or Ports()
    usual = Ports()
    wanted = [first.bolt if is_free(first.bolt) else usual.bolt, first.http if is_free(first.http) else usual.http]
    spare = free_ports(2)
    return Ports(*(port if is_free(port) else other for port, other in zip(wanted, spare, strict=True)))


def answers(port: int, timeout_s: float = 0.5) -> bool:
    """True when somebody accepts connections on this loopback port."""
    try:
        with socket.create_connection((HOST, port), timeout=timeout_s):
            return True
    except OSError:
        return False


def speaks_bolt(port: int, timeout_s: float = 2.0) -> bool:
    """True when who listens on this loopback port agrees on a version of Bolt: a process that hangs does not."""
    try:
        with socket.create_connection((HOST, port), timeout=timeout_s) as connection:
            connection.sendall(_BOLT)
            chosen = connection.recv(4)
    except OSError:
        return False
    return chosen[:2] == bytes(2) and any(chosen)


def is_free(port: int) -> bool:
    """True when a server could listen on this loopback port."""
    if answers(port):
        return False
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does; what lingers is no obstacle
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_ports(count: int) -> list[int]:
    """`count` different ports that the system calls free."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((HOST, 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
