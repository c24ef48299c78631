"""`clause curiosity`, what surprised the Navigator and may be looked into; `clause types`, what types mean in words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_fields, print_json, stdout

if TYPE_CHECKING:
    from clause.app import Rooms
    from clause.graph.scopes import Caller

app = typer.Typer(help="Investigate hops that came out otherwise than expected.", no_args_is_help=True)

_PLAN, _ANSWERS, _TYPES = "/api/clause/curiosity/plan", "/api/clause/curiosity/answers", "/api/relationship-types"
_LAB = "clause.lab.curiosity"  # named, not imported: only `demo` needs it


@app.command()
def work(
    most: Annotated[int | None, typer.Option("--most", min=1, help="Stop after so many triggers.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Investigate what is queued, then stop. What a worker that died left is taken up when its lease has expired."""
    print_fields(_done(lambda rooms, caller: rooms.intelligence.investigator.work(caller=caller, most=most)), as_json)


@app.command()
def status(as_json: JsonFlag = False) -> None:
    """The number of triggers that are queued, investigating and completed."""
    found = _done(lambda rooms, caller: rooms.intelligence.investigator.state(caller=caller))
    print_fields({name: found.get(name, 0) for name in ("queued", "investigating", "completed")}, as_json)


@app.command()
def plan(
    budget: Annotated[int, typer.Option(min=1, max=50, help="Questions that may be asked.")] = 5,
    scope: Annotated[list[str] | None, typer.Option(help="Look at this scope; repeatable. All by default.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Plan what to find out next with so many questions, the most telling first; `answer` closes one."""
    from clause.intelligence.models import CuriosityPlanRequest

    request = CuriosityPlanRequest(budget=budget, scopes=scope or None)
    found = _served("POST", _PLAN, body={"budget": budget, "scopes": scope or None})
    found = found or _done(lambda rooms, caller: rooms.intelligence.planner.plan(request, caller=caller))
    if as_json:
        print_json(found)
        return
    for one in found["questions"]:
        stdout().print(f"{one['gain']:.2f}  {one['question']}\n      {one['why']} ({one['id']})", markup=False)
    stdout().print(f"{len(found['questions'])} of {len(found['questions']) + found['left_out']} gaps", markup=False)


@app.command()
def answer(
    question: Annotated[str, typer.Argument(help="Id of the planned question.", show_default=False)],
    statement: Annotated[str | None, typer.Argument(help="What was found out.", show_default=False)] = None,
    side: Annotated[str | None, typer.Option(help="Of a tension: a, b or both.")] = None,
    source: Annotated[str | None, typer.Option(help="Who says so: the title of a document.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Close a planned question with what was found out."""
    from clause.intelligence.models import CuriosityAnswer
    from clause.text.fields import checked

    told = {"kind": "document", "title": source} if source else None
    said = {"id": question, "statement": statement, "side": side, "source": told}
    given = checked(CuriosityAnswer, said)
    found = _served("POST", _ANSWERS, body=said)
    print_fields(found or _done(lambda rooms, caller: rooms.intelligence.planner.close(given, caller=caller)), as_json)


@app.command()
def demo(as_json: JsonFlag = False) -> None:
    """Ask, let curiosity work, and ask again, in a small graph of its own: the answer changes."""
    from clause.cli.console import opened

    async def run() -> dict[str, Any]:
        async with opened(sample=False) as container:
            result: dict[str, Any] = await import_module(_LAB).curiosity_demo(container)
            return result

    print_fields(asyncio.run(run()), as_json)


types_app = typer.Typer(help="What relationship types mean in words: listed, said, taken back.", no_args_is_help=True)
Scope = Annotated[str, typer.Option(help="Whose types, such as kg:mine.", show_default=False)]
Relation = Annotated[str, typer.Argument(help="The type's name, as the graph has it.", show_default=False)]


@types_app.command("list")
def list_types(scope: Scope, as_json: JsonFlag = False) -> None:
    """The relationship types of a scope, with their words and who said them."""
    asked = _served("GET", _TYPES, {"scope": scope})
    found = (
        asked["items"] if asked else _done(lambda rooms, who: rooms.knowledge.types.list(caller=who, scopes=[scope]))
    )
    if as_json:
        print_json({"items": found})
        return
    for one in found:
        said = f"  (said by {one['told_by']})" if one["told_by"] else ""
        words = f"{one['text']!r}, back {one['inverse_text']!r}"
        stdout().print(f"{one['relation']}  {one['count']:,}: {words}{said}", markup=False)


@types_app.command()
def say(
    relation: Relation,
    text: Annotated[str, typer.Argument(help='From its start on: "director", "works for".', show_default=False)],
    *,
    back: Annotated[
        str | None, typer.Option(help='From its end on: "films directed by"; by the text if unset.')
    ] = None,
    scope: Scope,
    as_json: JsonFlag = False,
) -> None:
    """Say what a relationship type means; questions are read by it from the next one on."""
    from clause.knowledge.relationship_types import TypeMeaning
    from clause.text.fields import checked

    words = {"relation": relation, "text": text, "inverse_text": back, "scope": scope}
    given = checked(TypeMeaning, words)
    found = _served("PUT", _TYPES, body=words)
    print_fields(found or _done(lambda rooms, caller: rooms.knowledge.types.tell(given, caller=caller)), as_json)


@types_app.command()
def forget(relation: Relation, *, scope: Scope, as_json: JsonFlag = False) -> None:
    """Take back what was said of a relationship type: its name says it again."""
    found = _served("DELETE", _TYPES, {"relation": relation, "scope": scope})
    found = found or _done(lambda rooms, caller: rooms.knowledge.types.forget(relation, scope, caller=caller))
    print_fields(found, as_json)


def _served(method: str, path: str, asked: dict[str, str] | None = None, body: dict[str, Any] | None = None) -> Any:
    """Ask a running service and give its answer; None where none runs."""
    from urllib.parse import urlencode

    from clause.cli.service import running

    service = running()
    return service.send(method, path + (f"?{urlencode(asked)}" if asked else ""), body) if service else None


def _done(work: Callable[[Rooms, Caller], Awaitable[Any]]) -> Any:
    """Do some work in an application of this command's own and give its result, as JSON."""
    from pydantic_core import to_jsonable_python

    from clause.cli.console import opened
    from clause.graph.scopes import Caller

    async def run() -> Any:
        async with opened(sample=False) as container:
            return to_jsonable_python(await work(container.rooms, Caller()))

    return asyncio.run(run())
