"""The table of ablations that need training: every row with every seed, each done once and kept in a folder."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clause.errors import ConflictError
from clause.evaluation.frontier import paired_bootstrap
from clause.lab.training.trial import Player, trial
from clause.policy.config import Recipe
from clause.policy.train.lessons import AnsweredQuestion, fingerprint
from clause.policy.train.trainer import Training, TrainingMaterial
from clause.policy.train.warm_start import VectorTable
from clause.telemetry import Progress, silent

SHORTENED = Path(__file__).parent / "shortened.toml"
REFERENCE = "reference"
Multipliers = Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class AblationRow:
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


ROWS: Mapping[str, AblationRow] = {
    REFERENCE: AblationRow(
        "cloned, then LC-MAPPO: mean and chance limits, counterfactual advantage, monotone mixer, DELETE"
    ),
    "cloned-only": AblationRow("no reinforcement learning", _learning(iterations=0)),
    "rl-from-scratch": AblationRow("agents that start blank, on the cloned reader", {"imitation_epochs": 0}),
    "mean-only": AblationRow("the paper's limits on the means", _learning(active=("edges", "steps", "tokens"))),
    "chance-only": AblationRow("one limit on exceeding anything", _learning(active=("chance",))),
    "one-multiplier": AblationRow("one multiplier for all limits", _learning(bins=1)),
    "rcpo": AblationRow("one head for the reward less the weighed costs", _learning(penalised=True)),
    "fixed": AblationRow("multipliers held where the reference left them", holds_final=True),
    "no-duals": AblationRow("MAPPO without multipliers", _learning(active=())),
    "plain-advantage": AblationRow("V(s) as the baseline of the advantage", _learning(counterfactual=False)),
    "sum-mixer": AblationRow("the sum of the agents' values", _learning(mixer="sum")),
    "delete-off": AblationRow("the Architect is not offered DELETE", {"network": {"deletes": False}}),
    "cloned-100": AblationRow(
        "100 questions a hop, as many steps", {"cloning": {"questions_per_file": 100, "epochs": 96}}
    ),
    "cloned-4000": AblationRow(
        "4,000 questions a hop, about as many steps", {"cloning": {"questions_per_file": 4000, "epochs": 3}}
    ),
}
"""The table, by name; the reference has 400 questions a hop."""


COMPARED = ("scarce", "ample", "ample_em", "masked", "unmasked", "feasible")
"""Figures that are given question by question."""


@dataclass(frozen=True, slots=True)
class Study:
    """The shared parts of every row.

    Attributes:
        shortened: the recipe that each row changes.
        material: a recipe -> what it is trained on.
        asked: questions that training never saw.
        folder: where finished rows, the state of the one at work, and vectors of texts are.
    """

    shortened: Recipe
    material: Callable[[Recipe], TrainingMaterial]
    asked: Sequence[AnsweredQuestion]
    folder: Path

    def run(self, names: Sequence[str], seeds: Sequence[int], progress: Progress = silent) -> None:
        """Train and try what is not done yet, seed by seed; killed, it goes on where it stopped."""
        wanted = [(name, seed) for seed in seeds for name in dict.fromkeys((REFERENCE, *names))]
        for done, (name, seed) in enumerate(wanted, start=1):
            self._finish(name, seed)
            progress(f"{name}, seed {seed}", done, len(wanted))

    def results(self, names: Sequence[str], seeds: Sequence[int]) -> dict[str, list[dict[str, Any]]]:
        """The finished rows by name, one object for each seed."""
        return {name: [self._read(name, seed) for seed in seeds] for name in dict.fromkeys((REFERENCE, *names))}

    def _finish(self, name: str, seed: int) -> None:
        final = self._read(REFERENCE, seed)["multipliers"] if ROWS[name].holds_final else None
        recipe = ROWS[name].recipe(self.shortened, seed, final)
        place = self._place(name, seed)
        if place.is_file():
            found = self._read(name, seed)
            if (found["recipe"], found.get("asked")) != (recipe.fingerprint, fingerprint(None, self.asked)):
                raise ConflictError(
                    f"{place} holds a row of another recipe or sample", remedy="choose another --out", field="out"
                )
            return
        started, material = time.perf_counter(), self.material(recipe)
        state, table = self.folder / "at-work" / f"{name}-{seed}", VectorTable(material.embedder, self.folder)
        training = Training(recipe, material, state, table=table)
        checkpoint = training.run(resume=True, name=name)
        trained = time.perf_counter() - started
        row = {
            "row": name,
            "seed": seed,
            "recipe": recipe.fingerprint,
            "n": len(self.asked),
            "asked": fingerprint(None, self.asked),
            "multipliers": training.multipliers,
            "history": training.history,
            **trial(Player.of(checkpoint, material.snapshot, self.asked, table)),
            "training_s": round(trained, 1),
        }
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = place.with_suffix(".part")
        draft.write_text(json.dumps(row), encoding="utf-8")
        draft.replace(place)
        shutil.rmtree(state, ignore_errors=True)

    def _place(self, name: str, seed: int) -> Path:
        return self.folder / "rows" / f"{name}-{seed}.json"

    def _read(self, name: str, seed: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._place(name, seed).read_text(encoding="utf-8"))
        return found


def compared(results: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """A line for each row: means over questions and seeds, the spread over seeds, and the paired difference.

    The difference is to the reference. The bootstrap draws questions; each question's score is its mean over the
    seeds. The spread is the standard deviation (n - 1) of the seeds' means, 0 for one seed.
    """
    reference = {measure: np.mean([row[measure] for row in results[REFERENCE]], axis=0) for measure in COMPARED}
    lines = []
    for name, rows in results.items():
        line: dict[str, Any] = {"row": name, "about": ROWS[name].about, "seeds": len(rows)}
        for measure in COMPARED:
            mine = np.mean([row[measure] for row in rows], axis=0)
            means = [float(np.mean(row[measure])) for row in rows]
            line[measure] = float(mine.mean())
            line[f"{measure}_spread"] = float(np.std(means, ddof=1)) if len(means) > 1 else 0.0
            if name != REFERENCE:
                difference = paired_bootstrap(mine.tolist(), reference[measure].tolist())
                line[f"{measure}_difference"] = difference._asdict()
        line["deletes"] = float(np.mean([row["deletes"] for row in rows]))
        line["training_s"] = float(np.mean([row["training_s"] for row in rows]))
        lines.append(line)
    return lines
