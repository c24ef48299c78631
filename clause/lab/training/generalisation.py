"""Generalisation of a reader: wordings, names, types and lengths that its training did not have.

Only the reader matters here: what it reads is walked without any budget. Each figure stands beside that of the same
questions under a reader that lacked nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clause.errors import BadInputError
from clause.evaluation.frontier import paired_bootstrap
from clause.evaluation.question_files import GoldQuestion, type_pattern
from clause.evaluation.training_material import bracketed, draw
from clause.policy.config import Recipe
from clause.policy.serve.reader import PatternReader
from clause.policy.train.lessons import TypedWalks, label, pose
from clause.policy.train.networks import RelationScorer, exported
from clause.policy.train.rollout import Task
from clause.policy.train.warm_start import CloningLesson, Example, VectorTable, clone
from clause.reasoning.neighbourhood.port import RelationshipType
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.text.embedder import Embedder
from clause.text.names import relation_words

RENAMED = Path(__file__).parent / "renamed.tsv"
HELD_OUT_SHARE = 3
"""One wording in so many is kept from training."""

STEM = 4
"""Letters by which a question's word and a type's word count as the same."""


def is_held_out(question: GoldQuestion, seed: int = 0) -> bool:
    """True where the question's wording (its text without the topic) is kept from training; for a third of them.

    >>> len({is_held_out(GoldQuestion(f"who directed {name}", (), name)) for name in ("Heat", "Ali")})
    1
    """
    digest = hashlib.sha256(f"{seed} {question.masked}".encode()).digest()
    return digest[0] % HELD_OUT_SHARE == 0


def types_of(question: GoldQuestion) -> frozenset[str]:
    """The relationship types that the question's type names; empty where it has none."""
    return frozenset(hop.relation for hop in type_pattern(question.kind)) if question.kind else frozenset()


def has_wording(question: GoldQuestion, seed: int) -> bool:
    """True where training may have the question's wording."""
    return not is_held_out(question, seed)


def needs_not(question: GoldQuestion, relation: str) -> bool:
    """True where the question can be answered without a relationship type."""
    return relation not in types_of(question)


def has_cue(question: GoldQuestion, relation: str) -> bool:
    """True where a word of the question begins as a word of the type's name does.

    >>> has_cue(GoldQuestion("who directed Heat", (), "Heat"), "directed_by")
    True
    >>> has_cue(GoldQuestion("how popular was Heat", (), "Heat"), "has_imdb_votes")
    False
    """
    stems = {word[:STEM] for word in relation.split("_") if len(word) >= STEM}
    return any(word[:STEM] in stems for word in question.masked.lower().split())


def names_of_tests(path: Path = RENAMED) -> dict[str, tuple[str, str]]:
    """The names of relationship types in tests, forward and backward: never among the names of training.

    Raises:
        BadInputError: a line is not `relation<TAB>other name`.
    """
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise BadInputError(f"{path.name}, line {number}: a relation and its other name are needed")
        found[cells[0]] = relation_words(cells[1], True), relation_words(cells[1], False)
    return found


async def renamed(
    types: Mapping[str, RelationshipType], names: Mapping[str, tuple[str, str]], embedder: Embedder
) -> dict[str, RelationshipType]:
    """The types under other names, with the vectors of those; a type without another name stays as it is."""
    known = [name for name in types if name in names]
    vectors = await embedder.embed([text for name in known for text in names[name]])
    found = dict(types)
    for place, name in enumerate(known):
        text, inverse = names[name]
        forward, backward = vectors[2 * place], vectors[2 * place + 1]
        found[name] = replace(
            types[name], text=text, inverse_text=inverse, embedding=forward, inverse_embedding=backward
        )
    return found


Note = Callable[[str], None]
Sets = Mapping[str, Sequence[GoldQuestion]]
LEAST_CUED = 0.5
"""Share of a type's questions with a lexical cue from which on the type counts as cued."""


def exact_match(walks: TypedWalks, task: Task) -> float:
    """Exact match, in expectation over the ends of the first plan that leads anywhere."""
    for plan in task.plans:
        ends = walks.ends(plan.seed, plan.pattern)
        if ends:
            return len(ends & task.answers) / len(ends)
    return 0.0


@dataclass(frozen=True, slots=True)
class Bench:
    """The parts that studies share: a graph with vectors of its types, files by hop, a recipe, the reader measured."""

    snapshot: Snapshot
    embedder: Embedder
    train: Sets
    dev: Sets
    recipe: Recipe
    scorer: RelationScorer
    table: VectorTable
    walks: TypedWalks

    def cloned(self, seed: int, keep: Callable[[GoldQuestion], bool], without: str | None = None) -> RelationScorer:
        """A reader cloned on the training questions that are kept.

        `without` names a relationship type that the reader does not even see as a wrong choice.
        """
        recipe = self.recipe.model_copy(update={"seed": seed})
        kept = [one for questions in self.train.values() for one in draw([*filter(keep, questions)], recipe)]
        labelled = label(self.snapshot, bracketed(self.snapshot, kept), max_hops=recipe.cloning.max_hops)
        examples = [example for one in labelled if (example := _spared(one, without)).patterns]
        lesson = CloningLesson(examples, [name for name in self.snapshot.relations if name != without], self.table)
        return clone(lesson, recipe.network, recipe.cloning, seed=seed)

    def exact(
        self,
        scorer: RelationScorer,
        asked: Sequence[GoldQuestion],
        types: Mapping[str, RelationshipType] | None = None,
    ) -> list[float]:
        """Exact match (in expectation over ties) of where the best pattern that leads anywhere ends."""
        snapshot = self.snapshot if types is None else replace(self.snapshot, types=types)
        tasks = pose(snapshot, bracketed(snapshot, asked), PatternReader(exported(scorer)), self.table)
        return [exact_match(self.walks, task) for task in tasks]


def wordings(bench: Bench, seeds: Sequence[int], count: int, note: Note) -> dict[str, Any]:
    """Questions in wordings that training lacked, against a reader that had all wordings."""
    hops: dict[str, list[dict[str, list[float]]]] = {hop: [] for hop in bench.dev}
    for seed in seeds:
        lacking = bench.cloned(seed, partial(has_wording, seed=seed))
        full = bench.cloned(seed, _all)
        for hop, questions in bench.dev.items():
            asked = _spread([question for question in questions if is_held_out(question, seed)], count)
            if asked:
                hops[hop].append({"lacking": bench.exact(lacking, asked), "full": bench.exact(full, asked)})
        note(f"held-out wordings, seed {seed}")
    return {hop: _compared(found) for hop, found in hops.items() if found}


def names(bench: Bench, count: int, note: Note) -> dict[str, Any]:
    """The reader as it is, the graph's types under names that no training used, against their plain names."""
    others = asyncio.run(renamed(bench.snapshot.types, names_of_tests(), bench.embedder))
    found = {}
    for hop, questions in bench.dev.items():
        asked = _spread(questions, count)
        pair = {"lacking": bench.exact(bench.scorer, asked, others), "full": bench.exact(bench.scorer, asked)}
        found[hop] = _compared([pair])
        note(f"renamed types, {hop} hops")
    return found


def left_out(bench: Bench, seeds: Sequence[int], count: int, note: Note) -> dict[str, Any]:
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
        note(f"without {relation}")
    cued = [found["em"] for found in types.values() if found["cued"] >= LEAST_CUED]
    hops = [hop for hop in bench.dev if any(hop in em for em in cued)]
    return {
        "types": types,
        "mean_of_cued": {hop: float(np.mean([em[hop] for em in cued if hop in em])) for hop in hops},
    }


def lengths(bench: Bench, seeds: Sequence[int], count: int, note: Note) -> dict[str, Any]:
    """The longest hop's questions, by a reader that never saw one of them, against one that did; {} for one hop."""
    longest = max(bench.dev)
    shorter = {hop: questions for hop, questions in bench.train.items() if hop != longest}
    pairs = []
    for seed in seeds if shorter else ():
        lacking = replace(bench, train=shorter).cloned(seed, _all)
        full = bench.cloned(seed, _all)
        asked = _spread(bench.dev[longest], count)
        pairs.append({"lacking": bench.exact(lacking, asked), "full": bench.exact(full, asked)})
        note(f"trained on shorter questions, seed {seed}")
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


def _all(_question: GoldQuestion) -> bool:
    return True


def _spread(questions: Sequence[GoldQuestion], count: int) -> list[GoldQuestion]:
    """At most `count`, evenly over the file."""
    few = min(count, len(questions))
    return [questions[place * len(questions) // few] for place in range(few)]
