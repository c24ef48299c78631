"""The server's home folder: its places, configuration and password, and the ports that it listens on."""

from __future__ import annotations

import re
import secrets
import shutil
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from clause.errors import ServerError
from clause.graph.server.pidfile import replace_privately

USER = "neo4j"
DATABASE = "neo4j"
ROOM_MB = 100
WAY_BACK_IN = "put the password back into that file, or move the folder data away to begin with an empty graph"
_FOLDERS = ("conf", "data", "import", "lib", "licenses", "logs", "plugins", "run")


@dataclass(frozen=True)
class Ports:
    """The two ports of the server, on the loopback address."""

    bolt: int = 7687
    http: int = 7474


@dataclass(frozen=True)
class Layout:
    """The places of things below `home`."""

    home: Path

    @property
    def state(self) -> Path:
        """The pid file."""
        return self.home / "run" / "server.json"

    @property
    def lock(self) -> Path:
        """The lock that start and stop take."""
        return self.home / "run" / "server.lock"

    @property
    def password(self) -> Path:
        """The generated password, readable by its owner only."""
        return self.home / "password"

    @property
    def configuration(self) -> Path:
        """The folder of neo4j.conf."""
        return self.home / "conf"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.home / "logs" / "neo4j.log"

    @property
    def console(self) -> Path:
        """The log of Java, outside the server's own."""
        return self.home / "logs" / "console.log"

    @property
    def debug(self) -> Path:
        """The log for those who look after the server: why a database did not open stands only here."""
        return self.home / "logs" / "debug.log"

    @property
    def has_store(self) -> bool:
        """True once a server has run here."""
        return (self.home / "data" / "databases" / "system").is_dir()

    def prepare(self) -> None:
        """Make the folders (0700).

        Raises:
            ServerError: the home cannot be written.
        """
        try:
            for folder in (self.home, *(self.home / name for name in _FOLDERS)):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                folder.chmod(0o700)
        except OSError as error:
            raise ServerError(
                f"cannot write {error.filename or self.home}: {error.strerror}",
                remedy="free disk space or mend its rights, or set CLAUSE_HOME to a folder of yours",
            ) from error

    def require_room(self) -> None:
        """Refuse to start on a full disk: the server would take minutes to find out.

        Raises:
            ServerError: there is less than ROOM_MB free.
        """
        free_mb = shutil.disk_usage(self.home).free >> 20
        if free_mb < ROOM_MB:
            raise ServerError(
                f"the disk is full: {free_mb} MiB are left where {self.home} is, Neo4j wants {ROOM_MB}",
                remedy="free some disk space, or set CLAUSE_HOME to a folder on another disk",
            )

    def read_password(self) -> str:
        """The password; made when there is neither a password nor a store.

        Raises:
            ServerError: the file is missing or empty although a store exists.
        """
        try:
            if password := self.password.read_text(encoding="utf-8").strip():
                return password
        except FileNotFoundError:
            pass
        except (OSError, UnicodeDecodeError) as error:
            raise ServerError(f"cannot read {self.password}: {error}", remedy="make it readable for you") from error
        if self.has_store:
            raise ServerError(
                f"{self.password} is missing or empty, but the store in {self.home} has a password",
                remedy=WAY_BACK_IN,
            )
        replace_privately(self.password, secrets.token_hex(32) + "\n")  # no dash: it would look like an option
        return self.password.read_text(encoding="utf-8").strip()

    def configure(self, ports: Ports, heap_mb: int, further: Mapping[str, str] | None = None) -> None:
        """Write neo4j.conf: loopback only, password on, nothing sent home, files only from `import`; `further` last."""
        settings = {
            "server.default_listen_address": "127.0.0.1",
            "server.bolt.listen_address": f"127.0.0.1:{ports.bolt}",
            "server.bolt.advertised_address": f"127.0.0.1:{ports.bolt}",
            "server.http.listen_address": f"127.0.0.1:{ports.http}",
            "server.http.advertised_address": f"127.0.0.1:{ports.http}",
            "server.memory.pagecache.size": f"{max(64, heap_mb // 2)}m",
            "server.directories.import": "import",
            "dbms.security.auth_enabled": "true",
            "dbms.usage_report.enabled": "false",
            "dbms.fleet_manager.enabled": "false",
            "client.allow_telemetry": "false",
            "db.tx_log.preallocate": "false",  # else an empty graph takes half a gigabyte
            "db.tx_log.rotation.retention_policy": "256M size",
            # a full disk leaves half a write at the end of the log: cut it off (it is put aside), else no start
            # succeeds any more; whoever wrote it was told that it failed
            "internal.dbms.tx_log.fail_on_corrupted_log_files": "false",
            "db.transaction.timeout": "10m",
            "db.transaction.monitor.check.interval": "500ms",  # a time limit ends what it limits half a second late
            # what one statement, and all of them together, may hold: the heap has room left for the server itself
            "db.memory.transaction.max": f"{max(96, heap_mb // 4)}m",
            "dbms.memory.transaction.total.max": f"{heap_mb * 6 // 10}m",
            # the stores are closed by then; without these two every stop waits 10 s for connections that are gone
            "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
            "internal.dbms.bolt.netty_server_shutdown_timeout": "2s",
            **(further or {}),
        }
        text = "".join(f"{name}={value}\n" for name, value in settings.items())
        replace_privately(self.configuration / "neo4j.conf", text)

    def configured_ports(self) -> Ports:
        """The ports in neo4j.conf; the usual ones where it says nothing."""
        try:
            text = (self.configuration / "neo4j.conf").read_text(encoding="utf-8")
        except OSError:
            return Ports()
        found = dict(re.findall(r"^server\.(bolt|http)\.listen_address=.*:(\d+)$", text, re.MULTILINE))
        return Ports(**{name: int(port) for name, port in found.items()})

    def turn_logs(self) -> None:
        """Put the logs of the last run aside, so that each run's log begins with its start."""
        for log in (self.log, self.console, self.debug):
            if log.exists():
                log.replace(log.with_suffix(".log.1"))

    def says_started(self) -> bool:
        """True once the log of this run tells that the server is up."""
        try:
            return " Started.\n" in self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False


HOST = "127.0.0.1"
_BOLT = bytes.fromhex("6060b017 00080805 00000004 00000000 00000000")
"""The first bytes of a client of Bolt: the magic number, then versions (5.8 to 5.0, 4.0, none, none)."""


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
