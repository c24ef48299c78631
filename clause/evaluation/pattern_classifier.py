"""A simple learned classifier of the relationship pattern: word n-grams of the masked question, logistic regression."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from clause.errors import BadInputError, NotFoundError
from clause.evaluation.patterns import Pattern, parse_pattern, pattern_name

WORD = re.compile(r"\w+")
SHIPPED = Path(__file__).parent / "pattern_classifier"  # .safetensors and .json beside this module
LONGEST_GRAM = 3


def grams(text: str) -> set[str]:
    """The word n-grams (1 to 3) of a masked question, in lower case, with `^` before the first word and `$` at the end.

    >>> sorted(grams("Who?"))
    ['$', '^', '^ who', '^ who $', 'who', 'who $']
    """
    words = ["^", *WORD.findall(text.lower()), "$"]
    return {
        " ".join(words[start : start + size])
        for size in range(1, LONGEST_GRAM + 1)
        for start in range(len(words) - size + 1)
    }


@dataclass(frozen=True)
class PatternClassifier:
    """Weights of the classifier.

    Attributes:
        vocabulary: n-gram -> row of `weights`.
        patterns: the pattern of each column.
        weights: float32 [n-grams, patterns]; a feature is 1 / sqrt(number of known n-grams in the question).
        bias: float32 [patterns].
        about: how it was trained (questions, seed, accuracy), for reports.
    """

    vocabulary: Mapping[str, int]
    patterns: tuple[Pattern, ...]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    about: Mapping[str, Any] = field(default_factory=dict)

    def predict(self, masked: str, top: int = 3) -> list[tuple[Pattern, float]]:
        """The `top` most probable patterns of a masked question with their probabilities, best first."""
        rows = sorted(row for gram in grams(masked) if (row := self.vocabulary.get(gram)) is not None)
        logits = self.bias + self.weights[rows].sum(axis=0) / np.sqrt(max(1, len(rows)))
        odds = np.exp(logits - logits.max())
        shares = odds / odds.sum()
        best = np.argsort(-shares, kind="stable")[:top]
        return [(self.patterns[column], float(shares[column])) for column in best]

    def save(self, path: Path) -> None:
        """Write `path`.safetensors (float16) and `path`.json."""
        path.parent.mkdir(parents=True, exist_ok=True)
        words = sorted(self.vocabulary, key=self.vocabulary.__getitem__)
        about = {"patterns": [pattern_name(pattern) for pattern in self.patterns], "grams": words, "about": self.about}
        path.with_suffix(".json").write_text(json.dumps(about, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        halves = {"weights": self.weights.astype(np.float16), "bias": self.bias.astype(np.float16)}
        save_file(halves, path.with_suffix(".safetensors"))

    @classmethod
    def load(cls, path: Path = SHIPPED) -> PatternClassifier:
        """The model at `path` (the shipped one by default).

        Raises:
            NotFoundError: one of its two files is missing.
            BadInputError: the files do not belong together or are not a model.
        """
        try:
            about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            tensors = load_file(path.with_suffix(".safetensors"))
            words, names = about["grams"], about["patterns"]
            weights, bias = tensors["weights"].astype(np.float32), tensors["bias"].astype(np.float32)
        except FileNotFoundError as error:
            raise NotFoundError(f"no classifier at {path}", remedy="clause evaluate train-relation-path") from error
        except (ValueError, KeyError, TypeError, SafetensorError) as error:
            raise BadInputError(f"{path} holds no pattern classifier") from error
        if weights.shape != (len(words), len(names)) or bias.shape != (len(names),):
            raise BadInputError(
                f"{path}: weights {weights.shape} do not fit {len(words)} n-grams, {len(names)} patterns"
            )
        vocabulary = {gram: row for row, gram in enumerate(words)}
        return cls(vocabulary, tuple(map(parse_pattern, names)), weights, bias, about["about"])


@lru_cache(maxsize=1)
def shipped_classifier() -> PatternClassifier:
    """The shipped model, read once."""
    return PatternClassifier.load()


def confident(predictions: Sequence[tuple[Pattern, float]], least: float) -> list[tuple[Pattern, float]]:
    """The predictions of at least `least`; always the best one."""
    return [prediction for rank, prediction in enumerate(predictions) if rank == 0 or prediction[1] >= least]
