"""The jars of the server: what they are (neo4j.lock), and whether the files at hand are those."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LOCK = Path(__file__).with_name("neo4j.lock")
VERSION = "2026.08.1"
"""Version of the server that the lock file holds."""


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
        """Where a Maven repository keeps it, relative to the repository's root."""
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
