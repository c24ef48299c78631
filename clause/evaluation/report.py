"""Results as Markdown tables for docs/benchmarks.md, each with the command that made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clause.evaluation.bootstrap import Difference

COLUMNS = {
    "n": "n",
    "em_at_1": "EM@1",
    "f1": "F1",
    "supported_em": "supported EM",
    "supported_f1": "supported F1",
    "ceiling_em": "ceiling EM",
    "ceiling_f1": "ceiling F1",
    "edges_mean": "edges",
    "edges_read_mean": "edges read",
    "steps_mean": "steps",
    "tokens_mean": "tokens",
    "p50_ms": "p50 ms",
    "p95_ms": "p95 ms",
    "violations": "violations",
    "joint_feasible": "joint feasible",
}
SHARES = {"em_at_1", "f1", "supported_em", "supported_f1", "ceiling_em", "ceiling_f1", "joint_feasible"}


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; every column but the first is aligned right.

    >>> print(table(["policy", "EM@1"], [["khop", 3.5]]))
    | policy | EM@1 |
    | --- | ---: |
    | khop | 3.5 |
    """
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def results_table(results: Sequence[Mapping[str, Any]]) -> str:
    """One row for each policy and hop of `evaluate metaqa` results; shares as percentages. The commands follow."""
    rows = [
        [result["policy"], hop, *(_cell(name, row[name]) for name in COLUMNS)]
        for result in results
        for hop, row in result["hops"].items()
    ]
    commands = "\n".join(f"- `{result['command']}`" for result in results)
    return f"{table(['policy', 'hops', *COLUMNS.values()], rows)}\n\n{commands}"


def difference_text(difference: Difference) -> str:
    """A paired difference in points.

    >>> difference_text(Difference(0.031, 0.02, 0.042))
    '+3.10 points, 95 % interval +2.00 to +4.20'
    """
    mean, low, high = (100 * value for value in difference)
    return f"{mean:+.2f} points, 95 % interval {low:+.2f} to {high:+.2f}"


def _cell(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    if name in SHARES:
        return f"{100 * value:.2f}"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
