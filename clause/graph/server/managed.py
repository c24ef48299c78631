"""The managed server: one Neo4j for each home folder, shared by every command that asks for it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, SecretStr

from clause.errors import ServerError
from clause.graph.catalogue import Catalogue
from clause.graph.server import downloads, launch
from clause.graph.server import layout as ports
from clause.graph.server.diagnosis import NOT_OPEN, PORT_TAKEN, diagnose, reasons_in, tail
from clause.graph.server.launch import find_java
from clause.graph.server.layout import DATABASE, USER, WAY_BACK_IN, Layout, Ports
from clause.graph.server.pidfile import PidFile, ProcessRecord, spawn, terminate
from clause.graph.wire import RESTART, Address
from clause.telemetry import Progress, silent

_START_S = 180.0
_WAKE_S = 20.0
"""Seconds for which a server that had answered before may be silent."""
_STOP_S = 60.0
_POLL_S = 0.05
_ATTEMPTS = 3
_LOCK_S = 600.0
"""Somebody else may be fetching the jars while we wait for the lock."""


class ServerStatus(BaseModel):
    """The state of the server, told without starting it. `started_at` is seconds since the epoch.

    `running` is true only of a server whose database is open; `problem` says what is wrong with one that lives.
    """

    model_config = ConfigDict(frozen=True)

    running: bool
    home: Path
    version: str = downloads.VERSION
    pid: int | None = None
    uri: str | None = None
    browser: str | None = None
    started_at: float | None = None
    memory_mb: float | None = None
    problem: str | None = None


class ManagedServer:
    """A Neo4j Community in `home`, with a heap of `heap_mb` MiB. The constructor does nothing.

    `jvm_arguments` are more flags for Java: `-XX:TieredStopAtLevel=1` starts with 40 % less work and answers slower.
    `settings` are more of neo4j.conf.
    """

    def __init__(
        self,
        home: Path,
        heap_mb: int = 1024,
        jvm_arguments: Sequence[str] = (),
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.layout = Layout(Path(home).expanduser().absolute())
        self.heap_mb = heap_mb
        self.jvm_arguments = tuple(jvm_arguments)
        self.settings = settings
        self._pidfile = PidFile(self.layout.state)

    def ensure(self, progress: Progress | None = None) -> Address:
        """The address of the running server; fetched, started and waited for as needed.

        Safe to call from several threads and processes at once, and to interrupt: the next call goes on.

        Raises:
            ServerError: it cannot be fetched, started or reached; the remedy says what to do.
        """
        if (record := self._pidfile.running()) and _answers(record):
            return self._address(record)
        self.layout.prepare()
        with self._locked():
            return self._address(self._up(progress or silent))

    def stop(self) -> bool:
        """Stop the server; False when none runs."""
        if not self.layout.home.is_dir():
            return False
        self.layout.prepare()
        with self._locked():
            record = self._pidfile.running() or self._orphan()
            process = record.process if record else None
            if process is not None:
                terminate(process, _STOP_S)
            return process is not None

    def status(self) -> ServerStatus:
        """The state of what runs; nothing is started."""
        record = self._pidfile.running()
        process = record.process if record else None
        if record is None or process is None:
            return ServerStatus(running=False, home=self.layout.home)
        problem = self._problem(record)
        return ServerStatus(
            running=problem is None,
            problem=problem,
            home=self.layout.home,
            pid=record.pid,
            uri=_uri(record),
            browser=f"http://{ports.HOST}:{_ports(record).http}/browser/",
            started_at=record.started_at,
            memory_mb=_memory_mb(process),
        )

    def logs(self, n: int = 50) -> list[str]:
        """The last `n` lines that the server wrote."""
        return tail(self.layout.log, n)

    def _up(self, progress: Progress) -> ProcessRecord:
        """The record of a server that answers. The lock is held."""
        record = self._pidfile.running() or self._orphan()
        if record is None:
            return self._start(progress)
        return record if _answers(record) else self._wait(record, progress)

    def _start(self, progress: Progress) -> ProcessRecord:
        self.layout.require_room()
        java = find_java()
        class_path = self._class_path(progress)
        password = self.layout.read_password()
        if not self.layout.has_store:
            progress("setting the password", 0, 0)
            self.layout.configure(Ports(), self.heap_mb, self.settings)
            launch.set_initial_password(java, class_path, self.layout, password)
        command = launch.server_command(java, class_path, self.layout, self.heap_mb, self.jvm_arguments)
        attempt = 1
        while True:
            chosen = ports.choose(self._last_ports(), strangers=attempt > 1)
            try:
                return self._launch(command, chosen, progress)
            except ServerError as error:
                if error.details.get("cause") != PORT_TAKEN or attempt == _ATTEMPTS:
                    raise
            attempt += 1

    def _class_path(self, progress: Progress) -> list[Path]:
        return downloads.fetch(downloads.read_lock(), downloads.repository(), progress)

    def _launch(self, command: list[str], chosen: Ports, progress: Progress) -> ProcessRecord:
        self.layout.configure(chosen, self.heap_mb, self.settings)
        self.layout.turn_logs()
        details = {"bolt": chosen.bolt, "http": chosen.http, "ready": False}
        pid = spawn(command, self.layout.console)
        try:
            record = self._pidfile.write(pid, details)
        except psutil.NoSuchProcess:
            raise self._failure() from None
        return self._wait(record, progress)

    def _wait(self, record: ProcessRecord, progress: Progress) -> ProcessRecord:
        """Wait until the process of `record` answers as ours with an open database, and record that it does."""
        woken = bool(record.details.get("ready"))
        deadline = time.monotonic() + (_WAKE_S if woken else _START_S)
        while time.monotonic() < deadline:
            progress("starting Neo4j", 0, 0)
            process = record.process
            if process is None:
                raise self._failure()
            if self.layout.says_started() and ports.speaks_bolt(_ports(record).bolt):
                try:
                    proven = _fingerprint(self._sign_in(record))
                except ServerError as error:
                    if woken or error.details.get("cause") != NOT_OPEN:
                        raise
                    terminate(process, _STOP_S)
                    raise self._failure() from error
                return self._pidfile.write(record.pid, {**record.details, "password": proven, "ready": True})
            time.sleep(_POLL_S)
        raise self._silent(record) if woken else self._failure()

    def _sign_in(self, record: ProcessRecord) -> str:
        """One statement with our password, which is given back: the server is ours, and its database is open."""
        from neo4j import GraphDatabase  # noqa: PLC0415 - costs 0.3 s, and a server that is up needs none of it
        from neo4j.exceptions import AuthError, DriverError, Neo4jError  # noqa: PLC0415

        uri, password = _uri(record), self.layout.read_password()
        try:
            with (
                GraphDatabase.driver(uri, auth=(USER, password)) as driver,
                driver.session(database=DATABASE) as session,
            ):
                session.run(Catalogue.load()["graph/components"].text).consume()
        except AuthError as error:
            raise self._wrong_password() from error
        except (DriverError, Neo4jError) as error:
            closed = f"the database of the Neo4j in {self.layout.home} is closed"
            raise ServerError(closed, remedy=RESTART, details={"cause": NOT_OPEN}) from error
        return password

    def _problem(self, record: ProcessRecord) -> str | None:
        """The obstacle that keeps a live server from being used, in one line; None when there is none."""
        if not record.details.get("ready"):
            return "it is starting"
        if not _answers(record):
            return str(self._silent(record))
        try:
            self._sign_in(record)
        except ServerError as error:
            return str(error if _answers(record) else self._silent(record))
        return None

    def _silent(self, record: ProcessRecord) -> ServerError:
        return ServerError(f"Neo4j in {self.layout.home} (pid {record.pid}) answers nothing", remedy=RESTART)

    def _address(self, record: ProcessRecord) -> Address:
        password = self.layout.read_password()
        if record.details.get("password", _fingerprint(password)) != _fingerprint(password):
            raise self._wrong_password()
        return Address(uri=_uri(record), user=USER, password=SecretStr(password), database=DATABASE)

    def _wrong_password(self) -> ServerError:
        return ServerError(
            f"{self.layout.password} does not hold the password of the store in {self.layout.home}",
            remedy=WAY_BACK_IN,
        )

    def _failure(self) -> ServerError:
        reasons = reasons_in(tail(self.layout.debug, 500))
        text = "\n".join([*tail(self.layout.console, 100), *tail(self.layout.log, 200), *reasons])
        return diagnose(text, self.layout.home)

    def _orphan(self) -> ProcessRecord | None:
        """A server of this home that no state file tells of: its starter died in between, or the file was lost."""
        mark = launch.home_argument(self.layout.home)
        for process in psutil.process_iter(["cmdline"]):
            command = process.info["cmdline"] or []
            if launch.MAIN in command and mark in command and process.status() != psutil.STATUS_ZOMBIE:
                used = self.layout.configured_ports()
                return self._pidfile.write(process.pid, {"bolt": used.bolt, "http": used.http, "ready": False})
        return None

    def _last_ports(self) -> Ports | None:
        record = self._pidfile.read()
        return _ports(record) if record else None

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = FileLock(self.layout.lock, timeout=_LOCK_S)
        try:
            with lock:
                yield
        except Timeout as error:
            raise ServerError(
                f"another command has held {self.layout.lock} for {_LOCK_S:.0f} s",
                remedy="see whether it still fetches or starts the server, and stop it if it hangs",
            ) from error


def _ports(record: ProcessRecord) -> Ports:
    return Ports(bolt=record.details["bolt"], http=record.details["http"])


def _uri(record: ProcessRecord) -> str:
    return f"bolt://{ports.HOST}:{_ports(record).bolt}"


def _answers(record: ProcessRecord) -> bool:
    """True when the server had answered as ours before and still speaks Bolt."""
    return bool(record.details.get("ready")) and ports.speaks_bolt(_ports(record).bolt)


def _fingerprint(password: str) -> str:
    """Tells whether the file still holds the password that the server was started with (it is 256 random bits)."""
    return hashlib.sha256(password.encode()).hexdigest()


def _memory_mb(process: psutil.Process) -> float | None:
    try:
        return round(process.memory_info().rss / 2**20, 1)
    except psutil.Error:
        return None
