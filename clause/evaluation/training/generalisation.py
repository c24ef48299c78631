"""What a reader makes of wordings, names, types and lengths that its training did not have.

Only the reader matters here: what it reads is walked without any budget. Each figure stands beside that of the same
questions under a reader that lacked nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from clause.evaluation.bootstrap import paired_bootstrap
from clause.evaluation.material import bracketed, draw
from clause.evaluation.questions import Question
from clause.evaluation.training.splits import (
    has_cue,
    has_wording,
    is_held_out,
    names_of_tests,
    needs_not,
    renamed,
    types_of,
)
from clause.policy.embeddings import VectorTable
from clause.policy.lessons import label, pose
from clause.policy.networks import RelationScorer
from clause.policy.patterns import HopTable, Pattern
from clause.policy.reader import PatternReader
from clause.policy.recipe import Recipe
from clause.policy.rollout import Task
from clause.policy.warm_start import Example, Lesson, clone
from clause.reasoning.neighbourhood import RelationshipType
from clause.reasoning.snapshot import Snapshot
from clause.text.embedder import Embedder

Told = Callable[[str], None]
Sets = Mapping[str, Sequence[Question]]
LEAST_CUED = 0.5
"""Share of a type's questions with a lexical cue from which on the type counts as cued."""


class Walks:
    """Whole typed walks on a snapshot, by node ids."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._ids = snapshot.ids
        self._rows = {node: row for row, node in enumerate(snapshot.ids)}
        self._table = HopTable(snapshot)

    def ends(self, seed: str, pattern: Pattern) -> frozenset[str]:
        """Where a pattern ends from a node, the whole front at each hop, never back on the node itself."""
        start = self._rows[seed]
        front = np.array([start], dtype=np.int32)
        for hop in pattern:
            front = self._table.step(front, hop)
            front = front[front != start]
        return frozenset(self._ids[row] for row in front.tolist())

    def exact(self, task: Task) -> float:
        """Exact match, in expectation over the ends of the first plan that leads anywhere."""
        for plan in task.plans:
            ends = self.ends(plan.seed, plan.pattern)
            if ends:
                return len(ends & task.answers) / len(ends)
        return 0.0


@dataclass(frozen=True, slots=True)
class Bench:
    """What the studies share: a graph with vectors of its types, files by hop, a recipe, and the reader measured."""

    snapshot: Snapshot
    embedder: Embedder
    train: Sets
    dev: Sets
    recipe: Recipe
    scorer: RelationScorer
    table: VectorTable
    walks: Walks

    def cloned(self, seed: int, keep: Callable[[Question], bool], without: str | None = None) -> RelationScorer:
        """A reader cloned on the training questions that are kept.

        `without` names a relationship type that the reader does not even see as a wrong choice.
        """
        recipe = self.recipe.model_copy(update={"seed": seed})
        kept = [one for questions in self.train.values() for one in draw([*filter(keep, questions)], recipe)]
        labelled = label(self.snapshot, bracketed(self.snapshot, kept), max_hops=recipe.cloning.max_hops)
        examples = [example for one in labelled if (example := _spared(one, without)).patterns]
        lesson = Lesson(examples, [name for name in self.snapshot.relations if name != without], self.table)
        return clone(lesson, recipe.network, recipe.cloning, seed=seed)

    def exact(
        self,
        scorer: RelationScorer,
        asked: Sequence[Question],
        types: Mapping[str, RelationshipType] | None = None,
    ) -> list[float]:
        """Exact match (in expectation over ties) of where the best pattern that leads anywhere ends."""
        snapshot = self.snapshot if types is None else replace(self.snapshot, types=types)
        tasks = pose(snapshot, bracketed(snapshot, asked), PatternReader(scorer), self.table)
        return [self.walks.exact(task) for task in tasks]


def wordings(bench: Bench, seeds: Sequence[int], count: int, told: Told) -> dict[str, Any]:
    """Questions in wordings that training lacked, against a reader that had all wordings."""
    hops: dict[str, list[dict[str, list[float]]]] = {hop: [] for hop in bench.dev}
    for seed in seeds:
        lacking = bench.cloned(seed, partial(has_wording, seed=seed))
        full = bench.cloned(seed, _all)
        for hop, questions in bench.dev.items():
            asked = _spread([question for question in questions if is_held_out(question, seed)], count)
            if asked:
                hops[hop].append({"lacking": bench.exact(lacking, asked), "full": bench.exact(full, asked)})
        told(f"held-out wordings, seed {seed}")
    return {hop: _compared(found) for hop, found in hops.items() if found}


def names(bench: Bench, count: int, told: Told) -> dict[str, Any]:
    """The reader as it is, the graph's types under names that no training used, against their plain names."""
    others = asyncio.run(renamed(bench.snapshot.types, names_of_tests(), bench.embedder))
    found = {}
    for hop, questions in bench.dev.items():
        asked = _spread(questions, count)
        pair = {"lacking": bench.exact(bench.scorer, asked, others), "full": bench.exact(bench.scorer, asked)}
        found[hop] = _compared([pair])
        told(f"renamed types, {hop} hops")
    return found


def left_out(bench: Bench, seeds: Sequence[int], count: int, told: Told) -> dict[str, Any]:
    """For each type: questions that need it, by a reader that never saw the type nor a question that needs it."""
    types: dict[str, Any] = {}
    for relation in bench.snapshot.relations:
        asked = {
            hop: few
            for hop, questions in bench.dev.items()
            if (few := _spread([question for question in questions if relation in types_of(question)], count))
        }
        if not asked:
            continue
        readers = [bench.cloned(seed, partial(needs_not, relation=relation), relation) for seed in seeds]
        em = {hop: float(np.mean([bench.exact(reader, few) for reader in readers])) for hop, few in asked.items()}
        cues = [has_cue(question, relation) for few in asked.values() for question in few]
        types[relation] = {"cued": float(np.mean(cues)), "em": em}
        told(f"without {relation}")
    cued = [found["em"] for found in types.values() if found["cued"] >= LEAST_CUED]
    hops = [hop for hop in bench.dev if any(hop in em for em in cued)]
    return {
        "types": types,
        "mean_of_cued": {hop: float(np.mean([em[hop] for em in cued if hop in em])) for hop in hops},
    }


def lengths(bench: Bench, seeds: Sequence[int], count: int, told: Told) -> dict[str, Any]:
    """The longest hop's questions, by a reader that never saw one of them, against one that did; {} for one hop."""
    longest = max(bench.dev)
    shorter = {hop: questions for hop, questions in bench.train.items() if hop != longest}
    pairs = []
    for seed in seeds if shorter else ():
        lacking = replace(bench, train=shorter).cloned(seed, _all)
        full = bench.cloned(seed, _all)
        asked = _spread(bench.dev[longest], count)
        pairs.append({"lacking": bench.exact(lacking, asked), "full": bench.exact(full, asked)})
        told(f"trained on shorter questions, seed {seed}")
    return {longest: _compared(pairs)} if pairs else {}


def _compared(pairs: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, Any]:
    lacking, full = (np.concatenate([pair[name] for pair in pairs]) for name in ("lacking", "full"))
    return {
        "n": len(lacking),
        "em": float(lacking.mean()),
        "em_full": float(full.mean()),
        "difference": paired_bootstrap(lacking.tolist(), full.tolist())._asdict(),
    }


def _spared(example: Example, without: str | None) -> Example:
    """The example with its patterns that do not need a type; chance may have found one that does."""
    return replace(example, patterns=tuple(p for p in example.patterns if without not in {hop.relation for hop in p}))


def _all(_question: Question) -> bool:
    return True


def _spread(questions: Sequence[Question], count: int) -> list[Question]:
    """At most `count`, evenly over the file."""
    few = min(count, len(questions))
    return [questions[place * len(questions) // few] for place in range(few)]
