"""The frontier as Markdown tables and as a plot of supported F1 against edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clause.errors import BadInputError
from clause.evaluation.bootstrap import Difference
from clause.evaluation.report import difference_text, table

BAR = 50
"""Characters of a bar of 100 points."""

Result = Mapping[str, Any]


def frontier_text(result: Result) -> str:
    """Averages, grid, prices and the plot, one below the other."""
    parts = [_averages(result), _rows(result["grid"]), _rows(result["prices"]), text_plot(result)]
    return "\n\n".join(part for part in parts if part) + f"\n\n`{result['command']}`"


def curves(result: Result) -> dict[str, dict[int, float]]:
    """Mean supported F1 in points over the cells of each edge budget, by policy.

    >>> row = {"policy": "learned", "edge_budget": 5}
    >>> curves({"grid": [row | {"supported_f1": 0.5}, row | {"supported_f1": 0.7}]})
    {'learned': {5: 60.0}}
    """
    found: dict[str, dict[int, list[float]]] = {}
    for row in result["grid"]:
        found.setdefault(row["policy"], {}).setdefault(row["edge_budget"], []).append(100 * row["supported_f1"])
    return {
        name: {edges: round(sum(values) / len(values), 2) for edges, values in sorted(by_edges.items())}
        for name, by_edges in found.items()
    }


def text_plot(result: Result) -> str:
    """Supported F1 against edges, as bars."""
    lines = [
        f"{edges:>4} edges  {name:<28} {'#' * round(value * BAR / 100):<{BAR}} {value:.1f}"
        for name, by_edges in curves(result).items()
        for edges, value in by_edges.items()
    ]
    return "\n".join(lines)


def draw(result: Result, path: Path) -> None:
    """Supported F1 against edges as a picture (PNG, SVG or PDF by the ending).

    Raises:
        BadInputError: matplotlib is not installed; the text plot needs nothing.
    """
    if find_spec("matplotlib") is None:
        raise BadInputError("--plot needs matplotlib", remedy="pip install matplotlib, or leave --plot out")
    from matplotlib.figure import Figure  # noqa: PLC0415 -- optional, and slow to import

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.add_subplot()
    for name, by_edges in curves(result).items():
        axes.plot(list(by_edges), list(by_edges.values()), marker="o", label=name)
    axes.set(xlabel="edge budget", ylabel="supported F1, mean over tokens and steps")
    axes.legend()
    figure.savefig(path)


def _averages(result: Result) -> str:
    rows = [
        [name, f"{100 * found['supported_f1']:.2f}", *_against(found), found["violations"]]
        for name, found in result["average"].items()
    ]
    header = ["policy", "supported F1", f"against {result['against']}", "cells above / below", "violations"]
    return table(header, rows) if rows else ""


def _against(found: Mapping[str, Any]) -> tuple[str, str]:
    if "difference" not in found:
        return "-", "-"
    cells = f"{found['significantly_above']} / {found['significantly_below']} of {found['cells']}"
    return difference_text(Difference(**found["difference"])), cells


def _rows(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        [
            row["policy"],
            *(row[f"{resource}_budget"] for resource in ("edge", "token", "step")),
            row["edge_price"],
            *(f"{100 * row[measure]:.2f}" for measure in ("supported_f1", "em_at_1")),
            *(f"{row[spend]:.1f}" for spend in ("edges_mean", "steps_mean", "tokens_mean")),
            difference_text(Difference(**row["difference"])) if "difference" in row else "-",
        ]
        for row in rows
    ]
    header = ["policy", "edge budget", "tokens", "steps", "price", "supported F1", "EM@1"]
    header += ["edges spent", "steps spent", "tokens spent", "difference"]
    return table(header, lines) if lines else ""
