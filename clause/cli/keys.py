"""`clause keys` and `clause settings`: API keys, each bound to scopes, and all that can be set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout

if TYPE_CHECKING:
    from clause.operations.keys import ApiKey, ApiKeys

app = typer.Typer(help="API keys, each bound to the scopes that it may read and write.", no_args_is_help=True)

ALL = "*"
Found = TypeVar("Found")


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what it is for.")],
    *,
    read: Annotated[list[str] | None, typer.Option(help=f"A scope it may read; repeatable; {ALL} for all.")] = None,
    write: Annotated[
        list[str] | None, typer.Option(help=f"A scope it may read and write; repeatable; {ALL} for all.")
    ] = None,
    default: Annotated[
        list[str] | None, typer.Option(help="A scope of reads that name none; repeatable; all it may read if not said.")
    ] = None,
    person: Annotated[bool, typer.Option("--person", help="For a person: it may confirm beliefs.")] = False,
    days: Annotated[int, typer.Option(min=0, max=36_500, help="After how many days it ends; 0: never.")] = 365,
    as_json: JsonFlag = False,
) -> None:
    """Make a key and print it: this once, since only its hash is kept."""
    lasts = timedelta(days=days) if days else None
    scopes = _scopes(read), _scopes(write)
    made = asyncio.run(_with_keys(lambda keys: keys.create(name, *scopes, default=default, person=person, lasts=lasts)))
    if as_json:
        print_json(made.model_dump(mode="json"))
        return
    note(f"key {made.id} for {made.name}; it is shown this once:")
    stdout().print(made.token, markup=False)


@app.command("list")
def list_keys(as_json: JsonFlag = False) -> None:
    """The keys, newest first; never their secrets."""
    found = asyncio.run(_with_keys(lambda keys: keys.list()))
    if as_json:
        print_json({"keys": [key.model_dump(mode="json") for key in found]})
        return
    for key in found:
        scopes = f"reads {_said(key.readable)}  writes {_said(key.writable)}"
        used = f"last used {key.last_used_at:%Y-%m-%d}" if key.last_used_at else "never used"
        stdout().print(f"{key.id}  {_state(key)}  {key.name}  {scopes}  {used}", markup=False)
    if not found:
        stdout().print("no keys")


@app.command()
def rotate(
    key_id: Annotated[str, typer.Argument(help="The key's id, as listed.")],
    *,
    overlap_hours: Annotated[
        float, typer.Option(min=0, max=24 * 30, help="How long the old secret still opens; 0: not at all.")
    ] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Give a key a new secret and print it, this once; its id and its scopes stay."""
    made = asyncio.run(_with_keys(lambda keys: keys.rotate(key_id, overlap=timedelta(hours=overlap_hours))))
    if as_json:
        print_json(made.model_dump(mode="json"))
        return
    note(f"key {made.id} for {made.name} has a new secret; it is shown this once:")
    stdout().print(made.token, markup=False)


@app.command()
def revoke(key_id: Annotated[str, typer.Argument(help="The key's id, as listed.")], as_json: JsonFlag = False) -> None:
    """End a key for good; the next request with it is refused."""
    ended = asyncio.run(_with_keys(lambda keys: keys.revoke(key_id)))
    if as_json:
        print_json(ended.model_dump(mode="json"))
    else:
        stdout().print(f"{ended.id} for {ended.name} opens nothing any more", markup=False)


async def _with_keys(work: Callable[[ApiKeys], Awaitable[Found]]) -> Found:
    from clause.operations.keys import opened_keys
    from clause.settings import Settings

    return await work(await opened_keys(Settings.load()))


def _state(key: ApiKey) -> str:
    if key.revoked_at:
        return "revoked"
    if key.expires_at is None:
        return "in force"
    return f"until {key.expires_at:%Y-%m-%d}" if key.expires_at > datetime.now(UTC) else "expired"


def _scopes(given: list[str] | None) -> list[str] | None:
    return None if given and ALL in given else given or []


def _said(scopes: Any) -> str:
    return "everything" if scopes is None else ", ".join(scopes) or "nothing"


settings_app = typer.Typer()


@settings_app.command()
def settings(
    words: Annotated[list[str] | None, typer.Argument(help="Only settings that hold these words.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """The settings: name, value in force (marked where it is not the default), and what each means.

    Set one as an environment variable: `export CLAUSE_PORT=9000`.
    """
    from clause.settings import Settings

    rows = [row for row in _rows(Settings.load()) if all(word.lower() in " ".join(row).lower() for word in words or ())]
    if as_json:
        names = ("name", "value", "default", "meaning")
        print_json({"settings": [dict(zip(names, row, strict=True)) for row in rows]})
        return
    for name, value, default, meaning in rows:
        shown = value if value == default else f"{value}  (default {default})"
        stdout().print(f"{name}={shown}\n    {meaning}", markup=False)
    if not rows:
        note("no setting holds these words")


def _rows(chosen: Any) -> list[tuple[str, str, str, str]]:
    """Name, value, default and meaning of each; secrets are said to be set, and never shown."""
    defaults = type(chosen).model_construct()
    return [
        (f"CLAUSE_{name.upper()}", _value(getattr(chosen, name)), _value(getattr(defaults, name)), field.description)
        for name, field in type(chosen).model_fields.items()
    ]


def _value(value: Any) -> str:
    if value is None:
        return "unset"
    return "set" if hasattr(value, "get_secret_value") else str(value)
