"""An answer on a terminal: the answers, the path as a small tree, the evidence with sources, the receipt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

Answer = Mapping[str, Any]
_SHOWN = 10


def print_answer(console: Console, response: Answer) -> None:
    """The four sections, headed answer, path, evidence and receipt; `response` is a CoordinationResponse as JSON."""
    for heading, body in (
        ("answer", answer_lines(response)),
        ("path", [path_tree(response)]),
        ("evidence", evidence_lines(response)),
        ("receipt", [receipt_table(response)]),
    ):
        print_section(console, heading, body)


def print_section(console: Console, heading: str, body: Iterable[Any]) -> None:
    """A heading on a line of its own, and what stands below it."""
    console.print(Text(heading, style="bold"))
    for part in body:
        console.print(part)
    console.print()


def answer_lines(response: Answer) -> list[Text]:
    """The best answers with their scores, or why there is none."""
    result = response["result"]
    answers = result.get("answers") or []
    if result.get("abstained") or not answers:
        return [Text(f"  no answer: {result.get('reason') or 'nothing was good enough'}")]
    lines = [Text(f"  {item['name']}  ({item['answer_score']:.2f})") for item in answers[:_SHOWN]]
    more = len(answers) - _SHOWN
    return [*lines, Text(f"  and {more} more")] if more > 0 else lines


def path_tree(response: Answer) -> Tree | Text:
    """The best path, each step below the one before."""
    result = response["result"]
    path = result.get("path") or {}
    names = _names(result)
    steps = path.get("steps") or []
    nodes = path.get("nodes") or []
    if not nodes and not steps:
        return Text("  no path")
    start = _id_of(nodes[0]) if nodes else str(steps[0]["from_node"])
    tree = branch = Tree(escape(names.get(start, start)))
    for step, edge in zip_longest(steps, path.get("edges") or []):
        if step is None:
            break
        target = str(step["to_node"])
        forward = edge is None or edge.get("from") == step["from_node"]
        relation = f"--{step['relation']}-->" if forward else f"<--{step['relation']}--"
        branch = branch.add(escape(f"{relation} {names.get(target, target)}"))
    return tree


def evidence_lines(response: Answer) -> list[Text]:
    """The first pieces of evidence with their tokens, scores and sources."""
    lines = []
    evidence = response["result"].get("evidence") or []
    for number, item in enumerate(evidence[:_SHOWN], start=1):
        provenance = item.get("provenance") or {}
        lines.append(Text(f"  {number}. {item['text']}"))
        source = provenance.get("source_uri", "provenance is switched off")
        status = provenance.get("verification_status")
        detail = f"     source {source}" + (f" [{status}]" if status else "")
        lines.append(Text(f"{detail}, {item['tokens']} tokens, score {item['score']:.2f}", style="dim"))
    if len(evidence) > _SHOWN:
        lines.append(Text(f"  and {len(evidence) - _SHOWN} more (--json shows all)"))
    return lines or [Text("  none")]


def receipt_table(response: Answer) -> Table:
    """For each resource: budget, spent, what that cost, what stopped its agent, and the best thing left out."""
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for heading in ("  resource", "budget", "spent", "paid", "stopped by", "best left out"):
        table.add_column(heading)
    for resource, row in (response.get("receipt") or {}).items():
        if isinstance(row, Mapping):
            cells = (row.get(name) for name in ("budget", "spent", "paid", "stopped_by"))
            table.add_row(f"  {resource}", *(_cell(cell) for cell in cells), _left_out(row.get("best_left_out")))
    return table


def _left_out(item: Mapping[str, Any] | None) -> str:
    return escape(f"{item['what']} (would cost {item['would_cost']})") if item else "-"


def _cell(value: Any) -> str:
    return "-" if value is None else escape(f"{value:g}" if isinstance(value, float) else str(value))


def _names(result: Answer) -> dict[str, str]:
    found: dict[str, str] = {}
    for place in (result.get("subgraph") or {}, result.get("path") or {}):
        for node in place.get("nodes") or []:
            if isinstance(node, Mapping):
                found[_id_of(node)] = str(node.get("name") or _id_of(node))
    for seed in result.get("seeds") or []:
        found.setdefault(str(seed.get("id")), str(seed.get("name")))
    for answer in result.get("answers") or []:
        found.setdefault(str(answer.get("node")), str(answer.get("name")))
    return found


def _id_of(node: Any) -> str:
    return str(node.get("id")) if isinstance(node, Mapping) else str(node)
