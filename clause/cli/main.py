"""`clause`: the list of commands. A command's module is imported when the command runs, so that help is quick."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Annotated, Any

from clause import __version__
from clause.errors import BadInputError, ClauseError, OutOfBoundsError, ServerError, UnavailableError

os.environ.setdefault(
    "TYPER_USE_RICH", "0"
)  # read by typer's import: boxes around help cost three quarters of its time

import typer
from typer.core import TyperCommand, TyperGroup

EXIT_ERROR = 1
EXIT_UNAVAILABLE = 3
EXIT_INTERRUPTED = 130


@dataclass(frozen=True)
class Entry:
    """A command's place: a module and the name of a Typer application in it; and its line in the list."""

    module: str
    help: str
    application: str = "app"

    def load(self) -> typer.Typer:
        """The application, its module imported now."""
        application: typer.Typer = getattr(import_module(self.module), self.application)
        return application


COMMANDS: dict[str, Entry] = {
    "demo": Entry("clause.cli.demo", "Start everything on the sample graph and answer a first question."),
    "ask": Entry("clause.cli.ask", "Ask a question; get answers, path, evidence and the receipt."),
    "serve": Entry("clause.cli.serve", "Serve the REST API."),
    "load": Entry("clause.cli.load", "Load triples, passages, documents or a property graph into a scope."),
    "link": Entry("clause.cli.db", "Link the texts of a scope to the entities that they name; resumable.", "link_app"),
    "migrate": Entry("clause.cli.db", "Bring the graph's schema up to date.", "migrate_app"),
    "db": Entry("clause.cli.db", "Start, stop and look after the local Neo4j."),
    "evaluate": Entry("clause.lab.commands.evaluate", "Measure answers against a data set."),
    "bench": Entry("clause.lab.commands.bench", "Measure speed against named baselines."),
    "train": Entry("clause.cli.train", "Train the three agents on questions with answers."),
    "snapshot": Entry("clause.cli.archive", "Write scopes of the graph to a file of arrays.", "snapshot_app"),
    "policy": Entry("clause.cli.policy", "Say, promote or take back which policy decides in a scope."),
    "memory": Entry("clause.cli.memory", "Figures of memories, and what a similarity threshold means for them."),
    "consolidate": Entry(
        "clause.cli.db", "Close full clusters of memories and join twins; resumable.", "consolidate_app"
    ),
    "curiosity": Entry("clause.cli.curiosity", "Investigate hops that came out otherwise than expected."),
    "types": Entry("clause.cli.curiosity", "Say in words what relationship types mean.", "types_app"),
    "reembed": Entry("clause.cli.db", "Embed the graph again with another model; resumable.", "reembed_app"),
    "mcp": Entry("clause.cli.mcp", "Serve an agent's tools over MCP; `clause mcp install` sets a client up."),
    "keys": Entry("clause.cli.keys", "Make, list and revoke API keys."),
    "forget": Entry("clause.cli.archive", "Erase a scope, a source, a belief or a memory for good.", "forget_app"),
    "export": Entry("clause.cli.archive", "Write a scope to an archive with checksums.", "export_app"),
    "import": Entry("clause.cli.archive", "Bring a scope back from an archive.", "import_app"),
    "settings": Entry("clause.cli.keys", "List the settings: name, value, meaning.", "settings_app"),
    "doctor": Entry("clause.cli.db", "Say what is wrong and how to mend it.", "doctor_app"),
}


class LazyGroup(TyperGroup):
    """A group that knows its commands' names and lines of help, and imports one only to run it."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The names, in the order of the list."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """A stand-in with the line of help; None for an unknown name."""
        entry = COMMANDS.get(cmd_name)
        return TyperCommand(cmd_name, help=entry.help) if entry else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The real command behind the first argument, imported now; for an unknown one, those that look like it."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            close = get_close_matches(args[0], COMMANDS, n=2, cutoff=0.5)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {' or '.join(close)}?" if close else ""))
        name, stand_in, rest = super().resolve_command(ctx, args)
        if name is None or stand_in is None:
            return name, stand_in, rest
        command = typer.main.get_command(COMMANDS[name].load())
        command.name = name
        return name, command, rest


app = typer.Typer(
    cls=LazyGroup,
    help="Memory and reasoning for agents, on a Neo4j graph.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clause {__version__}")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Memory and reasoning for agents, on a Neo4j graph."""


def exit_code(error: ClauseError) -> int:
    """1 for what the user can mend, 3 for a database or server that is away (2, usage, is the parser's own).

    >>> exit_code(UnavailableError("Neo4j is away"))
    3
    """
    return EXIT_UNAVAILABLE if isinstance(error, UnavailableError | ServerError) else EXIT_ERROR


def run(arguments: Sequence[str] | None = None) -> None:
    """The entry point: run a command, end with its exit code; our own errors and the system's are one line.

    With --json the error is an object on stdout as well.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _quiet()
    try:
        app(args=given, prog_name="clause")
    except ClauseError as error:
        _end(error, given)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except OSError as error:  # a file, a disk or a connection that no command foresaw
        reason = error.strerror or str(error) or type(error).__name__
        kind = UnavailableError if isinstance(error, ConnectionError | TimeoutError) else BadInputError
        _end(kind(f"{error.filename}: {reason}" if error.filename else reason), given)
    except ValueError as error:
        if not hasattr(error, "errors"):
            raise
        _end(_refused(error), given)


def _end(error: ClauseError, given: Sequence[str]) -> None:
    from clause.cli.console import print_error

    print_error(error, as_json="--json" in given)
    sys.exit(exit_code(error))


def _refused(error: Any) -> ClauseError:
    """Make an error of what a request model refused, in words and with the field."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    return OutOfBoundsError(f"{field}: {message}" if field else message, field=field or None)


def _quiet() -> None:
    """The database driver's notes are for a log, such as `clause serve` sets up, and not for a bare terminal."""
    logging.getLogger("neo4j").addHandler(logging.NullHandler())


if __name__ == "__main__":
    run()
