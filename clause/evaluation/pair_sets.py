"""Pairs of statements with labels: their files, and how published sets map to duplicate, contradiction, neutral."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from clause.errors import BadInputError, NotFoundError
from clause.text.pairs import LABELS

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


def nli_pairs(path: Path) -> list[Pair]:
    """Counterfactually revised NLI (.tsv): contradiction and neutral; entailments go."""
    found = [Pair(row["sentence1"], row["sentence2"], row["gold_label"]) for row in _table(path)]
    return [pair for pair in found if pair.label in LABELS]


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
    if not path.is_file():
        raise NotFoundError(f"there is no file {path}")
    with _open(path) as file:
        yield from file


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open("rt", encoding="utf-8", newline="")
