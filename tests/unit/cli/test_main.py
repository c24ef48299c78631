import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
import typer

from clause import __version__
from clause.cli import main
from clause.errors import BadInputError, ClauseError, ServerError, SettingsError, UnavailableError

HEAVY = ("torch", "sentence_transformers", "neo4j", "fastapi", "numpy", "pydantic_settings", "structlog", "httpx")


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from clause.cli.main import run\n"
        "try:\n    run(['--help'])\n"
        "except SystemExit as stop:\n    assert not stop.code\n"
        f"print('LOADED', [name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"
    assert all(f" {name} " in done.stdout for name in main.COMMANDS)


def test_no_arguments_show_the_help_and_are_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main.run([])
    assert stopped.value.code == 2
    assert "Commands" in "".join(capsys.readouterr())


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main.run(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"clause {__version__}\n"


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main.run(["sevre"])
    assert stopped.value.code == 2
    assert "No such command" in capsys.readouterr().err


def raising(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Put a command called `serve` into the program that raises `error`."""
    app = typer.Typer()

    @app.command()
    def serve(as_json: bool = typer.Option(False, "--json")) -> None:
        raise error

    monkeypatch.setattr(main, "import_module", lambda _name: SimpleNamespace(app=app))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInputError("no such thing", remedy="try another"), 1),
        (SettingsError("CLAUSE_X is not a setting"), 1),
        (UnavailableError("Neo4j is away"), 3),
        (ServerError("Neo4j does not start"), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_end_with_their_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, code: int
) -> None:
    raising(monkeypatch, error)
    with pytest.raises(SystemExit) as stopped:
        main.run(["serve"])
    assert stopped.value.code == code
    said = capsys.readouterr()
    assert said.out == ""
    if isinstance(error, ClauseError):
        assert said.err == f"error: {error}\n"


def test_an_error_is_one_line_even_when_its_message_has_several(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(monkeypatch, BadInputError("first [bold]\nsecond"))
    with pytest.raises(SystemExit):
        main.run(["serve"])
    assert capsys.readouterr().err == "error: first [bold] second\n"


def test_with_json_the_error_is_one_object_on_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    raising(monkeypatch, BadInputError("too long", field="query", bound="at most 10"))
    with pytest.raises(SystemExit):
        main.run(["serve", "--json"])
    expected = {"error": {"code": "bad_input", "message": "too long", "field": "query", "bound": "at most 10"}}
    assert json.loads(capsys.readouterr().out) == expected


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (OSError(28, "No space left on device", "/srv/a.jsonl"), "/srv/a.jsonl: No space left on device", 1),
        (OSError(5, "Input/output error"), "Input/output error", 1),
        (OSError("odd"), "odd", 1),
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused", 3),
        (TimeoutError(), "TimeoutError", 3),
    ],
)
def test_an_error_of_the_system_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: OSError, said: str, code: int
) -> None:
    raising(monkeypatch, error)
    with pytest.raises(SystemExit) as stopped:
        main.run(["serve"])
    assert stopped.value.code == code
    assert capsys.readouterr().err == f"error: {said}\n"


def test_an_error_that_is_none_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    raising(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        main.run(["serve"])


@pytest.mark.parametrize("name", ["demo", "ask", "serve", "migrate"])
def test_each_command_of_ours_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main.run([name, "--help"])
    assert stopped.value.code == 0
    assert "--json" in capsys.readouterr().out
