"""The teacher of the warm start: whole fronts where everything fits, otherwise depth first, and whole paths.

It looks at the same numbers as the agents; with budgets that bind it does what relation-path-depth-first does. Where
something has a price, it stops when the next answers' share of F1 costs more than it brings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import ARCHITECT_OPTION, CONTEXT, CURATOR_OPTION, NAVIGATOR_OPTION
from clause.policy.perceptron import Floats
from clause.reasoning.actions import CURATOR, NAVIGATOR, Agent
from clause.reasoning.budget import RESOURCES

Columns = dict[str, Floats]
Rows = NDArray[np.int64]
ALL_FITS = CONTEXT.index("all_fits")
PRICED = [CONTEXT.index(f"{resource}_price") for resource in RESOURCES]


def depth_first(agent: Agent, options: Floats, context: Floats) -> int:
    """The row that the teacher takes; 0 is STOP."""
    if agent == NAVIGATOR:
        return _first(_where(_columns(options, NAVIGATOR_OPTION), "follows_plan"))
    if agent == CURATOR:
        columns = _columns(options, CURATOR_OPTION)
        row = _curate(columns)
    else:
        columns = _columns(options, ARCHITECT_OPTION)
        row = _build(columns, all_fits=bool(context[ALL_FITS]) and not context[PRICED].any())
    return row if columns["net_gain"][row] >= 0 else 0


def _columns(options: Floats, names: tuple[str, ...]) -> Columns:
    return {name: options[:, place] for place, name in enumerate(names)}


def _where(columns: Columns, *marks: str) -> Rows:
    """The rows behind STOP that exceed nothing and carry every mark."""
    kept = (columns["exceeds"] == 0) & (columns["is_stop"] == 0)
    for mark in marks:
        kept &= columns[mark] > 0
    return np.flatnonzero(kept)


def _first(rows: Rows) -> int:
    return int(rows[0]) if rows.size else 0


def _curate(columns: Columns) -> int:
    whole = _where(columns, "is_all")
    if whole.size:
        return int(whole[0])
    single = _where(columns)
    return int(single[np.argmin(columns["order"][single])]) if single.size else 0


def _build(columns: Columns, *, all_fits: bool) -> int:
    whole = _where(columns, "is_whole_front", "is_all")
    if all_fits and whole.size:
        return int(whole[np.argmax(columns["levels_to_go"][whole])])
    deepest = _where(columns, "deepest")
    nodes = deepest[columns["is_whole_front"][deepest] == 0]
    rows = nodes if nodes.size else deepest
    if not rows.size:
        return 0
    latest = rows[columns["recency"][rows] == columns["recency"][rows].min()]
    sizes = columns["count"][latest]
    return int(latest[np.argmax(sizes)] if columns["is_last_level"][latest[0]] else latest[np.argmin(sizes)])
