"""The ablations that need a training of their own: what each changes in the recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clause.policy.recipe import Recipe

SHORTENED = Path(__file__).parent / "shortened.toml"
REFERENCE = "reference"
Multipliers = Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        about: what it is, in words.
        changes: what the recipe has otherwise, group by group.
        holds_final: whether the multipliers stay where the reference of the same seed left them.
    """

    about: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    holds_final: bool = False

    def recipe(self, shortened: Recipe, seed: int, final: Multipliers | None = None) -> Recipe:
        """The row's recipe for one seed.

        >>> ROWS["mean-only"].recipe(Recipe(), seed=2).learning.active
        ('edges', 'steps', 'tokens')
        """
        settings: dict[str, Any] = {**shortened.model_dump(), "seed": seed}
        for name, value in self.changes.items():
            settings[name] = {**settings[name], **value} if isinstance(value, Mapping) else value
        if self.holds_final:
            settings["learning"] = {**settings["learning"], "held": final}
        return Recipe.model_validate(settings)


def _learning(**changes: Any) -> dict[str, Any]:
    return {"learning": changes}


ROWS: Mapping[str, Row] = {
    REFERENCE: Row("cloned, then LC-MAPPO: mean and chance limits, counterfactual advantage, monotone mixer, DELETE"),
    "cloned-only": Row("no reinforcement learning", _learning(iterations=0)),
    "rl-from-scratch": Row("agents that start blank, on the cloned reader", {"imitation_epochs": 0}),
    "mean-only": Row("limits on the means, as the paper has them", _learning(active=("edges", "steps", "tokens"))),
    "chance-only": Row("one limit on exceeding anything", _learning(active=("chance",))),
    "one-multiplier": Row("one multiplier for all limits", _learning(bins=1)),
    "rcpo": Row("one head for the reward less the weighed costs", _learning(penalised=True)),
    "fixed": Row("multipliers held where the reference left them", holds_final=True),
    "no-duals": Row("MAPPO without multipliers", _learning(active=())),
    "plain-advantage": Row("V(s) as the baseline of the advantage", _learning(counterfactual=False)),
    "sum-mixer": Row("the sum of the agents' values", _learning(mixer="sum")),
    "delete-off": Row("the Architect is not offered DELETE", {"network": {"deletes": False}}),
    "cloned-100": Row("100 questions a hop, as many steps", {"cloning": {"questions_per_file": 100, "epochs": 96}}),
    "cloned-4000": Row(
        "4,000 questions a hop, about as many steps", {"cloning": {"questions_per_file": 4000, "epochs": 3}}
    ),
}
"""The table, by name; the reference has 400 questions a hop."""
