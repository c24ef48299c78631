"""A simple learned classifier of the relationship pattern: n-grams, logistic regression, weak labels."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from clause.arrays import Floats
from clause.errors import BadInputError, NotFoundError
from clause.evaluation.question_files import GoldQuestion
from clause.policy.serve.tree import Pattern
from clause.policy.train.lessons import TypedWalks
from clause.reasoning.neighbourhood.port import Hop
from clause.telemetry import CountProgress, silent_count


def pattern_name(pattern: Pattern) -> str:
    """A pattern in one line: types joined by spaces, `~` before one that is walked from tail to head.

    >>> pattern_name((Hop("starred_actors", False), Hop("has_genre", True)))
    '~starred_actors has_genre'
    """
    return " ".join(hop.relation if hop.forward else f"~{hop.relation}" for hop in pattern)


def parse_pattern(name: str) -> Pattern:
    """The pattern of a `pattern_name`.

    >>> parse_pattern("~starred_actors has_genre")[0]
    Hop(relation='starred_actors', forward=False)
    """
    return tuple(Hop(word.removeprefix("~"), not word.startswith("~")) for word in name.split())


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
    weights: Floats
    bias: Floats
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
            raise BadInputError(f"{path}: {weights.shape} do not fit {len(words)} n-grams, {len(names)} patterns")
        vocabulary = {gram: row for row, gram in enumerate(words)}
        return cls(vocabulary, tuple(map(parse_pattern, names)), weights, bias, about["about"])


def train_pattern_classifier(
    graph: TypedWalks,
    questions: Sequence[GoldQuestion],
    *,
    rarest_gram: int = 8,
    rarest_pattern: int = 8,
    strength: float = 100.0,
    progress: CountProgress = silent_count,
) -> PatternClassifier:
    """A classifier of the patterns that reproduce the answers; question types are not looked at.

    Questions with one shortest pattern train a first model; it chooses among the shortest patterns of the others (a
    director who also wrote every film), and the second model trains on them all. `rarest_gram` and `rarest_pattern` are
    the least counts that are kept, `strength` is the inverse of the L2 penalty.

    Raises:
        BadInputError: fewer than two patterns remain.
    """
    labelled = []
    for done, question in enumerate(questions, start=1):
        found = () if question.entity is None else graph.shortest(question.entity, question.answers)
        labelled += [(question.masked, found)] if found else []
        progress(done, len(questions))
    sure = [(text, found[0]) for text, found in labelled if len(found) == 1]
    first = _fit(sure, rarest_gram, rarest_pattern, strength)
    second = _fit([(text, _choose(first, text, own)) for text, own in labelled], rarest_gram, rarest_pattern, strength)
    about: dict[str, float] = {"questions": len(questions), "labelled": len(labelled), "unambiguous": len(sure)}
    about |= {"rarest_gram": rarest_gram, "rarest_pattern": rarest_pattern, "strength": strength}
    return PatternClassifier(second.vocabulary, second.patterns, second.weights, second.bias, about)


def _choose(model: PatternClassifier, text: str, candidates: Sequence[Pattern]) -> Pattern:
    shares = dict(model.predict(text, top=len(model.patterns)))
    return max(candidates, key=lambda pattern: shares.get(pattern, 0.0))


def _fit(
    examples: Sequence[tuple[str, Pattern]], rarest_gram: int, rarest_pattern: int, strength: float
) -> PatternClassifier:
    counts = Counter(pattern for _, pattern in examples)
    examples = [example for example in examples if counts[example[1]] >= rarest_pattern]
    patterns = sorted({pattern for _, pattern in examples})
    if len(patterns) < 2:
        raise BadInputError("too few questions: at least two relationship patterns are needed", field="questions")
    known = Counter(gram for text, _ in examples for gram in grams(text))
    vocabulary = {gram: row for row, gram in enumerate(sorted(gram for gram in known if known[gram] >= rarest_gram))}
    rows = [sorted(vocabulary[gram] for gram in grams(text) if gram in vocabulary) for text, _ in examples]
    indices = np.concatenate([np.asarray(row, dtype=np.int64) for row in rows])
    values = np.concatenate([np.full(len(row), 1 / np.sqrt(max(1, len(row)))) for row in rows])
    ends = np.cumsum([0, *map(len, rows)])
    features: Any = csr_matrix((values, indices, ends), shape=(len(rows), len(vocabulary)))
    labels = [patterns.index(pattern) for _, pattern in examples]
    model = LogisticRegression(C=strength, max_iter=300).fit(features, labels)
    weights, bias = model.coef_.T, model.intercept_
    if len(patterns) == 2:  # scikit-learn keeps one column for two classes
        weights, bias = np.hstack([0 * weights, weights]), np.concatenate([0 * bias, bias])
    return PatternClassifier(vocabulary, tuple(patterns), weights.astype(np.float32), bias.astype(np.float32))
