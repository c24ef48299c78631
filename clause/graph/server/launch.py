"""The command lines of the server and of its admin tool."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from clause.errors import ServerError
from clause.graph.server.diagnosis import diagnose
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
    r"""What java reads from `@file`: one quoted argument a line.

    >>> print(argument_file(["-cp", "/a b/c.jar"]), end="")
    "-cp"
    "/a b/c.jar"
    """
    escaped = (argument.replace("\\", "\\\\").replace('"', '\\"') for argument in arguments)
    return "".join(f'"{argument}"\n' for argument in escaped)


def _joined(class_path: Sequence[Path]) -> str:
    return os.pathsep.join(str(path) for path in class_path)
