"""Where a service may listen: on the loopback freely, beyond it only once there are API keys."""

from __future__ import annotations

import errno
import ipaddress
import socket

from clause import database
from clause.errors import SettingsError
from clause.operations.keys import ApiKeys
from clause.settings import Settings


def is_loopback(host: str) -> bool:
    """True when only this machine reaches `host`.

    >>> is_loopback("127.0.0.1"), is_loopback("[::1]"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


async def keys_guard(settings: Settings, host: str) -> bool:
    """True when `host` is beyond the loopback and API keys are in force; False on the loopback, where none is needed.

    Raises:
        SettingsError: `host` is beyond the loopback, and there is no key.
        UnavailableError: the server that keeps the keys is away.
    """
    if is_loopback(host):
        return False
    async with database.open_graph(settings) as graph:
        if not await ApiKeys(graph).any_in_force():
            raise _unguarded(host)
    return True


def listen(host: str, port: int, *, keyed: bool = False) -> socket.socket:
    """A socket that is bound to `host` and `port` (0: any free one); close it when done.

    Args:
        host, port: where.
        keyed: everyone who comes needs an API key, as `keys_guard` found; without it, the loopback only.

    Raises:
        SettingsError: the address is not the loopback and not `keyed`, or the port is taken or not allowed.
    """
    if not keyed and not is_loopback(host):
        raise _unguarded(host)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        raise SettingsError(
            f"port {port} of {host} is {'taken by another program' if taken else f'refused: {error.strerror}'}",
            remedy="choose another with --port or CLAUSE_PORT, or 0 for a free one",
            field="port",
        ) from error
    return listener


def _unguarded(host: str) -> SettingsError:
    return SettingsError(
        f"{host} is not the loopback, and there are no API keys",
        remedy="make one with `clause keys create`, or use 127.0.0.1",
        field="host",
        bound="127.0.0.1, ::1 or localhost while there are no keys",
    )
