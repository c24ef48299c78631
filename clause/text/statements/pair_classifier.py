"""Two statements are duplicates, contradict each other, or neither: a small classifier over rule features, and a reader
of both texts beside each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from clause.arrays import Floats
from clause.errors import BadInputError, NotFoundError
from clause.text.bert import Bert
from clause.text.embedder import packaged_folder
from clause.text.statements.alignment import Alignment, Relate, align, often
from clause.text.statements.lexicon import relation
from clause.text.statements.slots import SLOTS, ParsedStatement, differing_slots, read_statement
from clause.text.statements.words import AUXILIARIES

SHIPPED = Path(__file__).parent / "models" / "pairs"
"""The shipped classifier: `.safetensors` and `.json` beside each other."""

COVERED = 2 / 3
"""The least share of the longer statement's content that the shorter one must have for a contradiction."""

APART_COVERED = 3 / 4
"""The same where each says something that the other does not."""

UNIVERSAL = frozenset({"all", "every", "each", "everyone", "everybody"})
"""Words for all of a kind."""

LABELS = ("duplicate", "contradiction", "neutral")

RULES = (
    "similarity", "distance", "covered", "covered_both", "left_few", "left_many", "exchanged", "one_exchanged",
    "added", "exclusive", "synonyms", "wider", "moved", "plural", "length", "negations", "small_words",
    *SLOTS,
)  # fmt: skip
"""The rule features in their order; behind them come u * v and |u - v| of the two embeddings."""


class Probabilities(NamedTuple):
    """The shares of the three classes; they sum to 1."""

    duplicate: float
    contradiction: float
    neutral: float


@dataclass(frozen=True)
class PairReading:
    """Two statements read beside each other: the slots in which they differ, and their content words aligned."""

    first: ParsedStatement
    second: ParsedStatement
    differing: tuple[str, ...]
    alignment: Alignment


def read_pair(a: str, b: str, relate: Relate = relation) -> PairReading:
    """Read two statements beside each other, in the order of their texts; `relate` says how different words relate."""
    first, second = map(read_statement, sorted((a, b)))
    return PairReading(first, second, tuple(differing_slots(first, second)), align(first, second, relate))


def compared(reading: PairReading) -> bool:
    """Tell whether both compare (`A is taller than B`)."""
    return all(any(word.lower == "than" for word in one.words) for one in (reading.first, reading.second))


def of_all(reading: PairReading) -> bool:
    """Tell whether one side speaks of all of a kind: what it says then holds for those of the other side too."""
    return any(word.lower in UNIVERSAL for one in (reading.first, reading.second) for word in one.words[:1])


def negated(reading: PairReading) -> bool:
    """Tell whether one side negates what the other says: an odd number of negations more, and covered content."""
    first, second = reading.first, reading.second
    if (first.slots.negations.total() + second.slots.negations.total()) % 2 == 0:
        return False
    found = reading.alignment
    matched = len(found.same) + len(found.wider)
    told = max(len(one.content) - often(one, other) for one, other in ((first, second), (second, first)))
    return matched >= (APART_COVERED if found.exchanged else COVERED) * max(told, 1)


def other_subject(reading: PairReading) -> bool:
    """Tell whether the exclusive words stand in the subject, before any auxiliary: then two things are meant."""
    values = {word for pair in reading.alignment.exclusive for word in pair}
    for statement in (reading.first, reading.second):
        verb = next((at for at, word in enumerate(statement.words) if word.lower in AUXILIARIES), 0)
        if any(form in values and (i == 0 or at < verb) for i, (at, form, _) in enumerate(statement.content)):
            return True
    return False


def covered(reading: PairReading) -> float:
    """The share of the longer statement's content that the shorter one has.

    >>> covered(read_pair("The old boat leaks badly", "The old boat leaks"))
    0.75
    """
    matched = len(reading.alignment.same) + len(reading.alignment.wider)
    return matched / max(len(reading.first.content), len(reading.second.content), 1)


def rule_features(reading: PairReading, similarity: float) -> Floats:
    """The features named in `RULES`, float32; they do not change when the two statements change places."""
    found = reading.alignment
    lengths = sorted((len(reading.first.content), len(reading.second.content)))
    left = sorted((len(found.only_a), len(found.only_b)))
    matched = len(found.same) + len(found.wider)
    small = {word.lower for word in reading.first.words} ^ {word.lower for word in reading.second.words}
    negations = abs(reading.first.slots.negations.total() - reading.second.slots.negations.total())
    return np.array(
        [
            similarity, 1 - similarity, matched / max(1, lengths[0]), matched / max(1, lengths[1]),
            min(left[0], 4) / 4, min(left[1], 4) / 4, left[0] > 0, left == [1, 1], left[0] == 0 < left[1],
            len(found.exclusive) > 0, min(found.synonyms, 3) / 3, min(len(found.wider), 3) / 3, min(found.moved, 4) / 4,
            found.plural > 0, min(lengths[1], 20) / 20, negations > 0, min(len(small), 10) / 10,
            *(slot in reading.differing for slot in SLOTS),
        ],
        dtype=np.float32,
    )  # fmt: skip


def pair_features(reading: PairReading, u: Floats, v: Floats) -> Floats:
    """All features of a pair with unit vectors u, v [d]: float32 [len(RULES) + 2 d]."""
    products = u * v
    rules = rule_features(reading, float(products.sum()))
    return np.concatenate([rules, products * len(u) ** 0.5, np.abs(u - v) * len(u) ** 0.5])


@dataclass(frozen=True)
class PairClassifier:
    """A network of one hidden layer: softmax(relu(x W1 + b1) W2 + b2) over standardised features.

    Attributes:
        mean: of the features [F].
        scale: their deviation [F].
        hidden: W1 [F, H] and b1 [H].
        out: W2 [H, 3] and b2 [3].
        about: how it was trained, for reports.
    """

    mean: Floats
    scale: Floats
    hidden: tuple[Floats, Floats]
    out: tuple[Floats, Floats]
    about: dict[str, Any] = field(default_factory=dict)

    def probabilities(self, features: Floats) -> Floats:
        """Shares of duplicate, contradiction, neutral for rows of features [n, F]: float32 [n, 3]."""
        inner = np.maximum((features - self.mean) / self.scale @ self.hidden[0] + self.hidden[1], 0)
        logits = inner @ self.out[0] + self.out[1]
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares: Floats = odds / odds.sum(axis=1, keepdims=True)
        return shares

    def classify(self, reading: PairReading, u: Floats, v: Floats) -> Probabilities:
        """The shares for one pair with unit vectors u, v [d].

        Raises:
            BadInputError: the vectors have another length than those of the training.
        """
        features = pair_features(reading, np.asarray(u, np.float32), np.asarray(v, np.float32))
        if features.shape != self.mean.shape:
            raise BadInputError(f"the pair classifier reads {len(self.mean)} features, not {len(features)}")
        return Probabilities(*map(float, self.probabilities(features[None])[0]))

    def save(self, path: Path) -> None:
        """Write `path`.safetensors (float16, and float32 for the standardisation) and `path`.json."""
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {"labels": LABELS, "rules": RULES, "about": self.about}
        path.with_suffix(".json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        halves = {"w1": self.hidden[0], "b1": self.hidden[1], "w2": self.out[0], "b2": self.out[1]}
        tensors = {name: np.ascontiguousarray(tensor, np.float16) for name, tensor in halves.items()}
        save_file({**tensors, "mean": self.mean, "scale": self.scale}, path.with_suffix(".safetensors"))

    @classmethod
    def load(cls, path: Path = SHIPPED) -> PairClassifier:
        """The classifier at `path` (the shipped one by default).

        Raises:
            NotFoundError: one of its two files is missing.
            BadInputError: the files are not a classifier over these features.
        """
        try:
            about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            tensors = {name: t.astype(np.float32) for name, t in load_file(path.with_suffix(".safetensors")).items()}
            hidden, out = (tensors["w1"], tensors["b1"]), (tensors["w2"], tensors["b2"])
            known = tuple(about["rules"]) == RULES and tuple(about["labels"]) == LABELS
            model = cls(tensors["mean"], tensors["scale"], hidden, out, about["about"])
        except FileNotFoundError as error:
            raise NotFoundError(f"no pair classifier at {path}", remedy="clause evaluate train-pairs") from error
        except (ValueError, KeyError, TypeError, SafetensorError) as error:
            raise BadInputError(f"{path} holds no pair classifier") from error
        if not known:
            raise BadInputError(f"{path} was trained on other features", remedy="clause evaluate train-pairs")
        return model


@lru_cache(maxsize=1)
def shipped_pair_classifier() -> PairClassifier:
    """The shipped classifier, read once."""
    return PairClassifier.load()


SHIPPED_READER = Path(__file__).parent / "models" / "beside"
"""The shipped reader of pairs: `.safetensors` and `.json` beside each other."""

LONGEST_PAIR = 128
"""Tokens of two statements that are read."""

STANDINGS = ("same", "neutral", "contradiction")
"""The standings that two statements may have, for `PairReader`; one that follows from the other counts as the same."""

ANSWERS = len(STANDINGS)
"""Behind these a reader tells the log-odds that the second text is what the first one asks for."""

READ = 0.45
"""The least similarity of two statements that are read beside each other."""

_MOST_READ = 4
_BYTE = 127
_SCALE = ".scale"


class ReaderWeights(NamedTuple):
    """Weights of a reader: its layers by name, those of what it tells, and how it was trained."""

    layers: dict[str, Floats]
    out: tuple[Floats, Floats]
    about: dict[str, Any]


class PairReader:
    """Reads two texts beside each other, word by word: what they mean, where no list tells.

    A BERT of the installed encoder's form, over both texts; the state of its first token says how they stand.

    Args:
        layers: the tuned weights, by the names of `clause.text.bert.layer_names`.
        out: weights and bias of what it tells, [d, 4] and [4]: the classes of `STANDINGS`, and what is at `ANSWERS`.
        about: how it was trained, for reports.
    """

    def __init__(self, layers: Mapping[str, Floats], out: tuple[Floats, Floats], about: Mapping[str, Any]) -> None:
        self._bert = Bert(packaged_folder(), LONGEST_PAIR, layers)
        self._out, self.about = out, dict(about)

    def answering(self, question: str, texts: Sequence[str]) -> Floats:
        """The log-odds that each text is what a question asks for, [n]."""
        return self._told([(question, text) for text in texts])[:, ANSWERS]

    def _told(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        found = np.zeros((len(pairs), len(self._out[1])), dtype=np.float32)
        for rows, states, _ in self._bert.runs(pairs):
            found[rows] = states[:, 0] @ self._out[0] + self._out[1]
        return found

    def contradicting(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """The probability that the two of each pair contradict each other, [n]; they may change places."""
        logits = self._told([(min(pair), max(pair)) for pair in pairs])[:, :ANSWERS]
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = odds / odds.sum(axis=1, keepdims=True)
        found: Floats = shares[:, STANDINGS.index("contradiction")]
        return found

    @staticmethod
    def save(path: Path, layers: Mapping[str, Floats], out: tuple[Floats, Floats], about: Mapping[str, Any]) -> None:
        """Write `path`.safetensors, tables as bytes with a scale for each row, and `path`.json."""
        tensors: dict[str, Any] = {"out.weight": out[0], "out.bias": out[1]}
        for name, value in layers.items():
            if value.ndim == 1:
                tensors[name] = value.astype(np.float32)
                continue
            scale = np.abs(value).max(axis=1, keepdims=True) / _BYTE
            tensors[name] = np.round(value / scale).astype(np.int8)
            tensors[f"{name}{_SCALE}"] = scale.astype(np.float32)
        save_file(
            {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, path.with_suffix(".safetensors")
        )
        path.with_suffix(".json").write_text(json.dumps(dict(about), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path = SHIPPED_READER) -> PairReader:
        """The reader at `path` (the shipped one by default).

        Raises:
            NotFoundError, BadInputError: as `read_weights`.
        """
        return cls(*read_weights(path))


def read_weights(path: Path = SHIPPED_READER) -> ReaderWeights:
    """The weights of the reader at `path` (the shipped one by default).

    Raises:
        NotFoundError: one of its two files is missing.
        BadInputError: the files are no reader of pairs.
    """
    try:
        about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        tensors = load_file(path.with_suffix(".safetensors"))
        out = tensors.pop("out.weight"), tensors.pop("out.bias")
        scales = {name: tensors.pop(name) for name in list(tensors) if name.endswith(_SCALE)}
        layers = {name: value * scales.get(name + _SCALE, np.float32(1)) for name, value in tensors.items()}
        return ReaderWeights(layers, out, dict(about))
    except FileNotFoundError as error:
        raise NotFoundError(f"no reader of pairs at {path}", remedy="clause evaluate train-pairs --beside") from error
    except (ValueError, KeyError, TypeError, SafetensorError) as error:
        raise BadInputError(f"{path} holds no reader of pairs") from error


@lru_cache(maxsize=1)
def shipped_pair_reader() -> PairReader:
    """The shipped reader of pairs, read once; it holds 43 MB from then on."""
    return PairReader.load()


@lru_cache(maxsize=20_000)
def answering(question: str, text: str) -> float:
    """The log-odds that a text is what a question asks for, by the shipped reader of pairs; remembered."""
    return float(shipped_pair_reader().answering(question, [text])[0])


def read_beside(text: str, others: Sequence[tuple[str, float]]) -> list[float]:
    """The probabilities that a statement contradicts others by what both mean: [n].

    Args:
        text: the statement.
        others: statements and their similarity, nearest first. Four are read, if near enough; of the rest it is 0.
    """
    read = [place for place, (_, similarity) in enumerate(others) if similarity >= READ][:_MOST_READ]
    shares = [0.0] * len(others)
    if read:
        found = shipped_pair_reader().contradicting([(text, others[place][0]) for place in read])
        for place, share in zip(read, found, strict=True):
            shares[place] = float(share)
    return shares
