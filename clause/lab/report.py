"""Results of studies and of trainings as Markdown tables, each with its command, and two of them as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from clause.errors import BadInputError
from clause.evaluation.frontier import MeanDifference
from clause.policy.train.lagrangian import CONSTRAINTS

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


def difference_text(difference: MeanDifference) -> str:
    """A paired difference in points.

    >>> difference_text(MeanDifference(0.031, 0.02, 0.042))
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
    return difference_text(MeanDifference(**found["difference"])), cells


def _rows(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        [
            row["policy"],
            *(row[f"{resource}_budget"] for resource in ("edge", "token", "step")),
            row["edge_price"],
            *(f"{100 * row[measure]:.2f}" for measure in ("supported_f1", "em_at_1")),
            *(f"{row[spend]:.1f}" for spend in ("edges_mean", "steps_mean", "tokens_mean")),
            difference_text(MeanDifference(**row["difference"])) if "difference" in row else "-",
        ]
        for row in rows
    ]
    header = ["policy", "edge budget", "tokens", "steps", "price", "supported F1", "EM@1"]
    header += ["edges spent", "steps spent", "tokens spent", "difference"]
    return table(header, lines) if lines else ""


SHOWN = {"scarce": "scarce F1", "unmasked": "F1 without masks", "feasible": "feasible", "ample": "ample F1"}


def table_text(result: Result) -> str:
    """The rows, the multipliers over time and what prices do, one below the other."""
    parts = [rows_table(result["rows"]), time_table(result["multipliers"]), price_table(result["prices"])]
    return "\n\n".join(part for part in parts if part) + f"\n\n`{result['command']}`"


def rows_table(rows: Sequence[Result]) -> str:
    """A line for each row; shares in percent, the spread over seeds behind +-, differences in points."""
    lines = [
        [
            row["row"],
            *(f"{100 * row[name]:.2f} +- {100 * row[f'{name}_spread']:.2f}" for name in SHOWN),
            points(row.get("scarce_difference")),
            points(row.get("feasible_difference")),
            f"{100 * row['deletes']:.2f}",
            f"{row['training_s']:.0f}",
        ]
        for row in rows
    ]
    differences = ["scarce F1 against the reference", "feasible against the reference"]
    return table(["row", *SHOWN.values(), *differences, "DELETE", "training s"], lines)


def time_table(rounds: Sequence[Result]) -> str:
    """Multipliers and the costs that move them, round by round; costs in units of their limits."""
    names = [*(f"multiplier_{name}" for name in CONSTRAINTS), *(f"unmasked_{name}" for name in CONSTRAINTS)]
    lines = [[f"{one['round']:.0f}", *(f"{one.get(name, 0.0):.2f}" for name in names)] for one in rounds]
    return table(["round", *(name.replace("_", ", ") for name in names)], lines) if lines else ""


def price_table(prices: Mapping[str, Sequence[Result]]) -> str:
    """Supported F1 and edges at each price, means over seeds."""
    columns = list(next(iter(prices.values()))[0]) if prices else []
    lines = [
        [
            name,
            *(
                f"{100 * _mean(found, price, 'supported_f1'):.1f} / {_mean(found, price, 'edges'):.1f}"
                for price in columns
            ),
        ]
        for name, found in prices.items()
    ]
    return table(["row: F1 / edges at price", *columns], lines) if lines else ""


def generalisation_text(result: Result) -> str:
    """Exact match under what training lacked, beside the same questions with nothing lacking."""
    named = ("held_out_wordings", "renamed_types", "longer_questions")
    pairs = [
        [
            name.replace("_", " "),
            hop,
            row["n"],
            _percent(row["em"]),
            _percent(row["em_full"]),
            points(row["difference"]),
        ]
        for name in named
        for hop, row in result[name].items()
    ]
    types = result["left_out_types"]
    hops = list(types["mean_of_cued"])
    lines = [
        [name, _percent(found["cued"]), *(_percent(found["em"].get(hop)) for hop in hops)]
        for name, found in types["types"].items()
    ]
    lines.append(["mean of cued types", "-", *(_percent(types["mean_of_cued"][hop]) for hop in hops)])
    return "\n\n".join(
        (
            table(["training lacked", "hops", "n", "EM@1", "EM@1 with all", "difference"], pairs),
            table(["type left out", "cued", *(f"EM@1, {hop} hops" for hop in hops)], lines),
            f"`{result['command']}`",
        )
    )


def trial_text(result: Result) -> str:
    """A line for each hop, then what prices do."""
    names = {"ample_em": "EM@1", "ample": "ample F1", "scarce": "scarce F1", "masked": "F1, sampled limits"}
    names |= {"unmasked": "without masks", "feasible": "feasible without masks"}
    lines = [
        [hop, row["n"], *(_percent(row[name]) for name in names), f"{100 * row['deletes']:.2f}"]
        for hop, row in result["hops"].items()
    ]
    prices = price_table({hop: [row["prices"]] for hop, row in result["hops"].items()})
    return f"{table(['hops', 'n', *names.values(), 'DELETE'], lines)}\n\n{prices}\n\n`{result['command']}`"


def adaptation_text(result: Result) -> str:
    """A line for each change of limits."""
    lines = [
        [
            row["change"],
            *(f"{100 * row[name]['supported_f1']:.2f}" for name in ("told", "not_told", "from_start")),
            points(row["difference"]),
            row["spent_before"],
            row["violations"],
        ]
        for row in result["rows"]
    ]
    header = [
        "limits",
        "told",
        "not told",
        "told from the start",
        "told against not told",
        "spent before",
        "violations",
    ]
    return f"{table(header, lines)}\n\n`{result['command']}`"


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def points(difference: Mapping[str, float] | None) -> str:
    """A paired difference in points with its interval.

    >>> points({"mean": 0.031, "low": 0.02, "high": 0.042})
    '+3.10 (+2.00 to +4.20)'
    """
    if difference is None:
        return "-"
    mean, low, high = (100 * difference[name] for name in ("mean", "low", "high"))
    return f"{mean:+.2f} ({low:+.2f} to {high:+.2f})"


def _mean(found: Sequence[Result], price: str, measure: str) -> float:
    return float(np.mean([one[price][measure] for one in found]))
