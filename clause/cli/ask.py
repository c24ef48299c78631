"""`clause ask`: one question, answered by the running service or in this process, and an answer on a terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from clause.cli.console import JsonFlag, print_json, stdout, texts_and_reader

Answered = Mapping[str, Any]
"""A CoordinationResponse, or its result, as JSON: what the service answers."""

_SHOWN = 10
_LIKELY = 0.2
"""Probability from which on another reading is shown."""


def print_answer(console: Console, response: Answered) -> None:
    """The sections, headed read as (where the policy says it), answer, path, evidence and receipt."""
    result, written = response["result"], response.get("written") or {}
    for heading, body in (
        ("read as", reading_lines(result)),
        ("answer", answer_lines(result)),
        ("path", [path_tree(result)]),
        ("evidence", evidence_lines(result)),
        ("a reader wrote", [escape(said) for said in (written.get("text") or written.get("reason"),) if said]),
        ("receipt", [receipt_table(response.get("receipt"))]),
    ):
        if body:
            print_section(console, heading, body)


def print_section(console: Console, heading: str, body: Iterable[Any]) -> None:
    """A heading on a line of its own, and what stands below it."""
    console.print(Text(heading, style="bold"))
    for part in body:
        console.print(part)
    console.print()


def reading_lines(result: Answered) -> list[Text]:
    """The meaning that was answered, and the others that are likely enough to be meant; names as they were taken."""
    taken = [Text(f"  {one['said']} as {one['meant']}") for one in result.get("did_you_mean", ())]
    first = [Text(f"  {one['words']}  ({one['probability']:.2f})") for one in result["readings"][:1]]
    likely = [other for other in result["readings"][1:] if other["probability"] >= _LIKELY]
    others = [Text(f"  or {one['words']}  (--reading {one['id']})", style="dim") for one in likely]
    return [*taken, *first, *others]


def answer_lines(result: Answered) -> list[Text]:
    """The best answers with their scores, or why there is none."""
    if result["abstained"] or not result["answers"]:
        return [Text(f"  no answer: {result['reason'] or 'nothing was good enough'}")]
    lines = [Text(f"  {item['name']}  ({item['answer_score']:.2f})") for item in result["answers"][:_SHOWN]]
    more = len(result["answers"]) - _SHOWN
    return [*lines, Text(f"  and {more} more")] if more > 0 else lines


def path_tree(result: Answered) -> Tree | Text:
    """The best path, each step below the one before."""
    names, path = _names(result), result["path"]
    if not path["nodes"]:
        return Text("  no path")
    tree = branch = Tree(escape(names[path["nodes"][0]["id"]]))
    for step, edge in zip(path["steps"], path["edges"], strict=True):
        forward = edge["from"] == step["from_node"]
        relation = f"--{step['relation']}-->" if forward else f"<--{step['relation']}--"
        branch = branch.add(escape(f"{relation} {names.get(step['to_node'], step['to_node'])}"))
    return tree


def evidence_lines(result: Answered) -> list[Text]:
    """The first pieces of evidence with their tokens, scores and sources."""
    lines = []
    for number, item in enumerate(result["evidence"][:_SHOWN], start=1):
        lines.append(Text(f"  {number}. {item['text']}"))
        known = item["provenance"]
        source = f"{known['source_uri']} [{known['verification_status']}]" if known else "provenance is switched off"
        lines.append(Text(f"     source {source}, {item['tokens']} tokens, score {item['score']:.2f}", style="dim"))
    if len(result["evidence"]) > _SHOWN:
        lines.append(Text(f"  and {len(result['evidence']) - _SHOWN} more (--json shows all)"))
    return lines or [Text("  none")]


def receipt_table(receipt: Answered | None) -> Table:
    """For each resource: budget, spent, what that cost, what stopped its agent, and the best thing left out."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for heading in ("  resource", "budget", "spent", "paid", "stopped by", "best left out"):
        table.add_column(heading)
    rows = [(resource, receipt[resource]) for resource in ("edges", "steps", "tokens")] if receipt else []
    for resource, row in rows:
        cells = (str(row["budget"]), str(row["spent"]), f"{row['paid']:g}", row["stopped_by"])
        item = row["best_left_out"]
        best = escape(f"{item['what']} (would cost {item['would_cost']})") if item else "-"
        table.add_row(f"  {resource}", *cells, best)
    return table


def _names(result: Answered) -> dict[str, str]:
    found = {node["id"]: node["name"] for node in (*result["subgraph"]["nodes"], *result["path"]["nodes"])}
    for seed in result["seeds"]:
        found.setdefault(seed["id"], seed["name"])
    for answer in result["answers"]:
        if answer["node"] is not None:
            found.setdefault(answer["node"], answer["name"])
    return found


app = typer.Typer()


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What to find out, in plain words.")],
    *,
    start: Annotated[list[str] | None, typer.Option(help="Start here: id, exact name or alias; repeatable.")] = None,
    scope: Annotated[list[str] | None, typer.Option(help="Read this scope; repeatable. All by default.")] = None,
    edge_budget: Annotated[int, typer.Option(min=10, max=200, help="Edges the subgraph may have.")] = 50,
    step_budget: Annotated[int, typer.Option(min=1, max=20, help="Steps the walk may take.")] = 10,
    token_budget: Annotated[int, typer.Option(min=100, max=8192, help="Tokens the evidence may have.")] = 2048,
    policy: Annotated[str | None, typer.Option(help="Who decides; the default policy if not given.")] = None,
    reading: Annotated[str | None, typer.Option(help="Id of the reading that is meant, as an answer tells it.")] = None,
    abstain_below: Annotated[
        float | None, typer.Option(min=0, max=1, help="Show no answer with a lower score; the policy's if not given.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Only texts of this kind; repeatable.")] = None,
    floor: Annotated[list[str] | None, typer.Option(help="Least confidence, as overall=0.6; repeatable.")] = None,
    since: Annotated[str | None, typer.Option(help="Only texts said at this instant or later.")] = None,
    until: Annotated[str | None, typer.Option(help="Only texts said before this instant.")] = None,
    read: Annotated[bool, typer.Option("--read", help="Let the reader that is set write an answer, too.")] = False,
    hash_only: Annotated[bool, typer.Option("--hash", help="Print only the answer's sha256.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Ask a question; print the answers, the path, the evidence with sources, and the receipt."""
    given = {
        "query": question,
        "budgets": {"edge_budget": edge_budget, "step_budget": step_budget, "token_budget": token_budget},
        "start_nodes": start or None,
        "scopes": scope or None,
        "policy": policy,
        "reading": reading,
        "abstain_below": abstain_below,
        **texts_and_reader(kind, floor, since, until, read=read),
    }
    from clause.cli.service import running

    service = running()
    answer = service.post("/api/clause/coordinate", given) if service else None
    if answer is None:
        answer = asyncio.run(_ask(given))
    if as_json:
        print_json(answer)
    elif hash_only:
        stdout().print(answer["answer_sha256"], markup=False)
    else:
        print_answer(stdout(), answer)


async def _ask(given: dict[str, Any]) -> Answered:
    """The answer of an application of this command's own."""
    from clause.app import Container
    from clause.cli.db import progress_bar
    from clause.graph.scopes import Caller
    from clause.reasoning.models import CoordinationRequest
    from clause.settings import Settings
    from clause.text.fields import checked

    request = checked(CoordinationRequest, given)
    with progress_bar() as progress:
        async with Container.open(Settings.load(), progress=progress) as container:
            response = await container.coordinator.coordinate(request, Caller())
            return response.model_dump(mode="json")
