"""Labelled pairs of statements, and how well they are merged and tensions found."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from clause.arrays import Floats, Longs
from clause.errors import BadInputError, NotFoundError
from clause.ingest.source import open_text
from clause.text.embedder import Embedder, SentenceTransformerEmbedder
from clause.text.statements.guards import CANDIDATE, contradiction, may_merge
from clause.text.statements.pair_classifier import LABELS, PairClassifier


class Judge(StrEnum):
    """The judges of a pair: the guards with the classifier, the guards by rule alone, or the cosine alone."""

    GUARDS = "guards"
    RULES = "rules"
    COSINE = "cosine"


SICK_DUPLICATE = 4.7
STSB_DUPLICATE = 4.8
STSB_NEUTRAL = 3.5


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements and `duplicate`, `contradiction` or `neutral`."""

    a: str
    b: str
    label: str


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file of JSON lines `{"a", "b", "label"}`, plain or .gz; further keys are ignored.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: a line is no such object, or its label is none of the three.
    """
    return [_pair(path, number, line) for number, line in enumerate(_lines(path), start=1) if line.strip()]


def write_pairs(path: Path, pairs: Sequence[Pair]) -> None:
    """Write pairs as JSON lines, in their order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (json.dumps({"a": pair.a, "b": pair.b, "label": pair.label}, ensure_ascii=False) for pair in pairs)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def sick_pairs(path: Path) -> list[Pair]:
    """SICK (.tsv): CONTRADICTION; ENTAILMENT with relatedness >= 4.7 is duplicate; NEUTRAL; other entailments go."""
    found = []
    for row in _table(path):
        label = row["entailment_judgment"].lower()
        if label == "entailment" and float(row["relatedness_score"]) >= SICK_DUPLICATE:
            label = "duplicate"
        found.append(Pair(row["sentence_A"], row["sentence_B"], label))
    return [pair for pair in found if pair.label in LABELS]


def stsb_pairs(path: Path) -> list[Pair]:
    """STS-B (.csv without a header): score >= 4.8 is duplicate, <= 3.5 neutral, the rest goes."""
    found = []
    for a, b, score in csv.reader(_lines(path)):
        if float(score) >= STSB_DUPLICATE or float(score) <= STSB_NEUTRAL:
            found.append(Pair(a, b, "duplicate" if float(score) >= STSB_DUPLICATE else "neutral"))
    return found


def breaking_nli_pairs(path: Path) -> list[Pair]:
    """Breaking NLI (.jsonl): contradiction and neutral; entailments go."""
    rows = (json.loads(line) for line in _lines(path) if line.strip())
    found = [Pair(row["sentence1"], row["sentence2"], row["gold_label"]) for row in rows]
    return [pair for pair in found if pair.label in LABELS]


def nli_pairs(path: Path, labels: Sequence[str] = LABELS) -> list[Pair]:
    """Counterfactually revised NLI (.tsv): contradiction and neutral; entailments go unless they are among `labels`."""
    found = [Pair(row["sentence1"], row["sentence2"], row["gold_label"]) for row in _table(path)]
    return [pair for pair in found if pair.label in labels]


def fever_pairs(path: Path) -> list[Pair]:
    """FEVER-symmetric (.jsonl): REFUTES is contradiction; claims that are supported go."""
    rows = (json.loads(line) for line in _lines(path) if line.strip())
    return [Pair(row["sentence1"], row["sentence2"], "contradiction") for row in rows if row["gold_label"] == "REFUTES"]


SETS: Mapping[str, Callable[[Path], list[Pair]]] = {
    "sick": sick_pairs,
    "stsb": stsb_pairs,
    "breaking-nli": breaking_nli_pairs,
    "counterfactual-nli": nli_pairs,
    "fever-symmetric": fever_pairs,
}
"""The published sets by name, each with its reader."""


def published_pairs(name: str, paths: Sequence[Path]) -> list[Pair]:
    """The pairs of one published set, over several of its files, in their order.

    Raises:
        NotFoundError: there is no such set or file.
        BadInputError: a file does not have the set's form.
    """
    if name not in SETS:
        raise NotFoundError(f"no set is called {name!r}", field="set", bound=", ".join(SETS))
    try:
        return [pair for path in paths for pair in SETS[name](path)]
    except (KeyError, ValueError, TypeError) as error:
        raise BadInputError(f"these files do not have the form of {name}", field="files") from error


def _pair(path: Path, number: int, line: str) -> Pair:
    try:
        row = json.loads(line)
        a, b, label = row["a"], row["b"], row["label"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f'{path}, line {number}: not a JSON object with "a", "b", "label"') from error
    if not (isinstance(a, str) and isinstance(b, str) and label in LABELS):
        raise BadInputError(f"{path}, line {number}: texts and a label are needed", bound=" | ".join(LABELS))
    return Pair(a, b, label)


def _table(path: Path) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)


def _lines(path: Path) -> Iterator[str]:
    with open_text(path) as lines:
        yield from lines


class PairDecision(NamedTuple):
    """The decision on one pair."""

    merged: bool
    tension: bool


Decide = Callable[[Pair, Floats, Floats], PairDecision]


def decider(judge: Judge, *, classifier: PairClassifier | None = None, same_subject: bool = False) -> Decide:
    """The function by which `judge` decides on a pair with the unit vectors of its statements.

    The cosine alone merges above .90 and finds no tension. `classifier` is the shipped one by default; `same_subject`
    tells the guards that both statements of a pair speak of the same thing, as NLI sets mean it.
    """

    def decide(pair: Pair, u: Floats, v: Floats) -> PairDecision:
        similarity = float(u @ v)
        if judge is Judge.COSINE:
            return PairDecision(similarity > CANDIDATE, False)
        vectors = (u, v) if judge is Judge.GUARDS else None
        merge = may_merge(pair.a, pair.b, similarity, vectors=vectors, classifier=classifier)
        tension = contradiction(
            pair.a, pair.b, similarity, vectors=vectors, classifier=classifier, same_subject=same_subject
        )
        return PairDecision(merge.allowed, tension.found)

    return decide


async def evaluate_pairs(
    pairs: Sequence[Pair], embedder: Embedder, decide: Decide, *, intervals: bool = False
) -> dict[str, Any]:
    """The figures of the issue: merge, tension, n, and milliseconds per pair beyond the embedding.

    With `intervals` also where precision and recall lie in 95 % of samples of as many pairs, drawn with replacement.

    A merge is right on a duplicate, a tension on a contradiction. Shares without a denominator are None;
    `contradictions_merged` is a count.
    """
    vectors = await embed_pairs(pairs, embedder)
    start = perf_counter()
    decisions = [decide(pair, vectors[pair.a], vectors[pair.b]) for pair in pairs]
    spent = perf_counter() - start
    merged = [decision.merged for decision in decisions]
    tense = [decision.tension for decision in decisions]
    duplicates = [pair.label == "duplicate" for pair in pairs]
    contradictions = [pair.label == "contradiction" for pair in pairs]
    merge: dict[str, Any] = {
        **shares(merged, duplicates),
        "contradictions_merged": sum(m and c for m, c in zip(merged, contradictions, strict=True)),
    }
    tension: dict[str, Any] = {**shares(tense, contradictions)}
    if intervals:
        merge["intervals"] = sampled(merged, duplicates)
        tension["intervals"] = sampled(tense, contradictions)
    return {
        "merge": merge,
        "tension": tension,
        "n": len(pairs),
        "ms_per_pair": 1000 * spent / len(pairs) if pairs else None,
    }


def sampled(
    predicted: Sequence[bool], true: Sequence[bool], *, samples: int = 10_000, seed: int = 0
) -> dict[str, list[float] | None]:
    """The percentile bootstrap intervals (95 %) of precision and recall; None where there is no denominator.

    Drawing pairs with replacement draws from four kinds of pairs, so that a sample is four counts.
    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    >>> sampled([True] * 50, [True] * 50)
    {'precision': [1.0, 1.0], 'recall': [1.0, 1.0]}
    """
    said, real = np.asarray(predicted, dtype=bool), np.asarray(true, dtype=bool)
    kinds = np.array([(said & real).sum(), (said & ~real).sum(), (~said & real).sum(), (~said & ~real).sum()])
    if not kinds.sum():
        return {"precision": None, "recall": None}
    hits, wrong, missed, _ = np.random.default_rng(seed).multinomial(kinds.sum(), kinds / kinds.sum(), size=samples).T
    return {"precision": _interval(hits, hits + wrong), "recall": _interval(hits, hits + missed)}


def _interval(parts: Longs, wholes: Longs) -> list[float] | None:
    there = wholes > 0
    return np.quantile(parts[there] / wholes[there], [0.025, 0.975]).tolist() if there.any() else None


async def embed_pairs(pairs: Sequence[Pair], embedder: Embedder) -> dict[str, Floats]:
    """The unit vector [d] of every statement; each text is embedded once."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    if not texts:
        return {}
    return dict(zip(texts, await embedder.embed(texts), strict=True))


def shares(predicted: Sequence[bool], true: Sequence[bool]) -> dict[str, float | None]:
    """Precision, recall and F1 of yes and no; None where nothing was predicted or nothing is true.

    >>> shares([True, True, False], [True, False, False])
    {'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666666666666}
    >>> shares([False], [False])
    {'precision': None, 'recall': None, 'f1': None}
    """
    hits = sum(p and t for p, t in zip(predicted, true, strict=True))
    said, real = sum(predicted), sum(true)
    return {
        "precision": hits / said if said else None,
        "recall": hits / real if real else None,
        "f1": 2 * hits / (said + real) if said + real else None,
    }


WRITTEN = Path(__file__).with_name("statements.txt")
"""Statements that people wrote: a premise, what contradicts it, what goes with it, and the same in other words."""

LATER = "# Later hands.\n"
"""The line behind which those of later hands stand."""

_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_NEAR_ONES = 2


def written_statements() -> tuple[list[str], list[str]]:
    """The lines of the written statements: those that train from the start, and those of later hands."""
    first, later = (part.splitlines() for part in WRITTEN.read_text(encoding="utf-8").split(LATER))
    return [line for line in first if not line.startswith("#")], [line for line in later if " | " in line]


async def beside_lessons(
    lines: Sequence[str], published: Sequence[Pair], embedder: Embedder, rng: random.Random
) -> list[Pair]:
    """Pairs for the reader of two statements beside each other: published and written ones, and what is made of these.

    The statements nearest a premise that tell of something else, and what would contradict it but for the name, are
    neutral.
    """
    rows = [line.split(" | ") for line in lines]
    found = [Pair(one.a, one.b, "same" if one.label == "entailment" else one.label) for one in published]
    for premise, contrary, *others, same in rows:
        told = [(contrary, "contradiction"), (same, "same"), *((other, "neutral") for other in others)]
        found += [Pair(*order, label) for one, label in told for order in ((premise, one), (one, premise))]
        found += [Pair(same, one, label) for one, label in told if one != same]
    premises = np.array(await embedder.embed([row[0] for row in rows]))
    for side in (0, 1):
        near = premises @ np.array(await embedder.embed([row[side] for row in rows])).T
        np.fill_diagonal(near, -1)
        for place, row in enumerate(near):
            found += [Pair(rows[place][0], rows[at][side], "neutral") for at in np.argsort(-row)[:_NEAR_ONES]]
    names = sorted({name for row in rows for name in _NAME.findall(row[0][1:])})
    for premise, contrary, *_ in rows:
        shared = sorted({*_NAME.findall(premise)} & {*_NAME.findall(contrary)} & {*names})
        if shared and rng.random() < 0.6:
            told = rng.choice(shared)
            found.append(Pair(premise, re.sub(rf"\b{told}\b", rng.choice(names), contrary), "neutral"))
    return found


async def statement_pairs(seed: int) -> list[Pair]:
    """All pairs that are made of the written statements, in the order in which two are served."""
    lines = [line for part in written_statements() for line in part]
    rng = random.Random(seed)  # noqa: S311 - a reproducible draw
    found = await beside_lessons(lines, [], SentenceTransformerEmbedder(), rng)
    return [Pair(min(one.a, one.b), max(one.a, one.b), one.label) for one in found]
