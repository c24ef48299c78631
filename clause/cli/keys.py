"""`clause keys`: API keys, each bound to the scopes that it may read and write."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout

if TYPE_CHECKING:
    from clause.operations.keys import ApiKeys

app = typer.Typer(help="API keys, each bound to the scopes that it may read and write.", no_args_is_help=True)

ALL = "*"
Found = TypeVar("Found")


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what it is for.")],
    read: Annotated[list[str] | None, typer.Option(help=f"A scope it may read; repeatable; {ALL} for all.")] = None,
    write: Annotated[
        list[str] | None, typer.Option(help=f"A scope it may read and write; repeatable; {ALL} for all.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make a key and print it: this once, since only its hash is kept."""
    made = asyncio.run(_with_keys(lambda keys: keys.create(name, _scopes(read), _scopes(write))))
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
        state = "revoked" if key.revoked_at else "in force"
        scopes = f"reads {_said(key.readable)}  writes {_said(key.writable)}"
        stdout().print(f"{key.id}  {state}  {key.name}  {scopes}", markup=False)
    if not found:
        stdout().print("no keys")


@app.command()
def revoke(key_id: Annotated[str, typer.Argument(help="The key's id, as listed.")], as_json: JsonFlag = False) -> None:
    """End a key for good; the next request with it is refused."""
    ended = asyncio.run(_with_keys(lambda keys: keys.revoke(key_id)))
    if as_json:
        print_json(ended.model_dump(mode="json"))
    else:
        stdout().print(f"{ended.id} for {ended.name} opens nothing any more", markup=False)


async def _with_keys(work: Callable[[ApiKeys], Awaitable[Found]]) -> Found:
    from clause.database import open_graph
    from clause.graph.migrations import migrate
    from clause.operations.keys import ApiKeys
    from clause.settings import Settings

    async with open_graph(Settings.load()) as graph:
        await migrate(graph)
        return await work(ApiKeys(graph))


def _scopes(given: list[str] | None) -> list[str] | None:
    return None if given and ALL in given else given or []


def _said(scopes: Any) -> str:
    return "everything" if scopes is None else ", ".join(scopes) or "nothing"
