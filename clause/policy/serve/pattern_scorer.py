"""Scores of the patterns that exist around a topic: the likelihood that a question asks for each."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np

from clause.arrays import Flags, Floats
from clause.errors import BadInputError, NotFoundError
from clause.reasoning.question.pattern_text import Wording, pattern_text
from clause.text.bert import Bert, unit_means
from clause.text.embedder import packaged_folder

Hops = Sequence[tuple[str, bool]]

SHIPPED = Path(__file__).parent / "pattern_scorer"  # .safetensors and .json beside this module
LONGEST = 64
"""Tokens of a question or a pattern that are read."""
_CACHED = 20_000  # texts of patterns; one takes about 8 kB
_QUESTIONS = 256
_SLICE = 64
_LEAST = 1e-12


class ReadText(NamedTuple):
    """A text made ready for matching, without padding.

    Attributes:
        mean: the unit mean of its tokens [d].
        tokens: unit vectors of its tokens [tokens, k].
        shares: the weight of each token in its text [tokens], of sum 1.
    """

    mean: Floats
    tokens: Floats
    shares: Floats


class Reader(Protocol):
    """Reads texts for matching, and says how much each part of a match weighs."""

    about: dict[str, Any]

    @property
    def scales(self) -> Floats:
        """The weights of the three parts of a score [3]."""
        ...

    def question(self, text: str) -> ReadText:
        """A question made ready for matching."""
        ...

    def patterns(self, texts: Sequence[str]) -> list[ReadText]:
        """Patterns made ready for matching."""
        ...


class ExportedReader:
    """The reader that ships, without torch: the exported layers with their tuned weights, and the heads in numpy.

    Args:
        path: of `path`.safetensors and `path`.json.

    Raises:
        NotFoundError, BadInputError: as `read_files`.
        SetupError: the package with the encoder is not installed.
    """

    def __init__(self, path: Path = SHIPPED) -> None:
        self.about, tensors = read_files(path)
        tuned = {name.removeprefix("encoder."): w for name, w in tensors.items() if name.startswith("encoder.")}
        try:
            self._narrow = tensors["matcher.narrow.weight"]
            sides = (f"matcher.{side}_share" for side in ("question", "pattern"))
            self._asked, self._said = ((tensors[f"{side}.weight"][0], tensors[f"{side}.bias"]) for side in sides)
            self.scales: Floats = np.logaddexp(0, tensors["matcher.scales"])
        except KeyError as error:
            raise BadInputError(f"{path} is no pattern scorer: it has no {error}", field="path") from error
        self._bert = Bert(packaged_folder(), LONGEST, tuned)

    def question(self, text: str) -> ReadText:
        """A question made ready for matching."""
        return self._read([text], *self._asked)[0]

    def patterns(self, texts: Sequence[str]) -> list[ReadText]:
        """Patterns made ready for matching."""
        return self._read(texts, *self._said)

    def _read(self, texts: Sequence[str], weight: Floats, bias: Floats) -> list[ReadText]:
        found: dict[int, ReadText] = {}
        for rows, states, present in self._bert.runs(texts):
            means = unit_means(states, present)
            tokens = states @ self._narrow.T
            tokens /= np.maximum(np.linalg.norm(tokens, axis=2, keepdims=True), _LEAST)
            shares = _softmax(states @ weight + bias, present)
            for row, mean, own, share, there in zip(rows, means, tokens, shares, present, strict=True):
                found[row] = ReadText(mean, own[there], share[there])
        return [found[row] for row in range(len(texts))]


def _softmax(scores: Floats, present: Flags) -> Floats:
    """Shares of the scores that are present [n, longest], of sum 1 in each row."""
    powers = np.exp(np.where(present, scores, -np.inf) - scores.max(axis=1, where=present, initial=-np.inf)[:, None])
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def read_files(path: Path) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Read how a reader was trained, and its weights in float32, from `path`.json and `path`.safetensors.

    Raises:
        NotFoundError: there is no such file.
        BadInputError: the files are not those of a pattern scorer.
    """
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.numpy import load_file  # noqa: PLC0415

    try:
        about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        weights = load_file(path.with_suffix(".safetensors"))
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no pattern scorer at {path}", field="path") from error
    except (SafetensorError, ValueError, OSError) as error:
        raise BadInputError(f"{path} is no pattern scorer: {error}", field="path") from error
    return about, {name: weight.astype(np.float32) for name, weight in weights.items()}


class PatternScorer:
    """Reads a masked question beside the patterns that can be walked, in words.

    Texts of patterns are read once and kept; a question costs one run of the encoder. Safe to share between threads.

    Args:
        reader: the trained encoder and its heads.
        cached: most texts of patterns that are kept.
    """

    def __init__(self, reader: Reader, cached: int = _CACHED) -> None:
        self.reader = reader
        self._weights = reader.scales
        self._kept: OrderedDict[str, ReadText] = OrderedDict()
        self._cached = cached
        self._asked: OrderedDict[str, ReadText] = OrderedDict()
        self._lock = Lock()

    @staticmethod
    def load(path: Path = SHIPPED, backend: str = "onnx") -> PatternScorer:
        """The scorer at `path` (the shipped one by default), run by ONNX Runtime or by torch.

        Raises:
            NotFoundError, BadInputError, SetupError: as `ExportedReader`.
        """
        if backend == "torch":
            from clause.policy.train.encoder import TrainedReader  # noqa: PLC0415 -- torch takes seconds

            return PatternScorer(TrainedReader.load(path))
        return PatternScorer(ExportedReader(path))

    @property
    def fingerprint(self) -> str:
        """A hash of how the reader was trained: what teaches one reader teaches no other."""
        return hashlib.sha256(json.dumps(self.reader.about, sort_keys=True).encode()).hexdigest()[:16]

    def score(self, question: str, patterns: Sequence[Hops], wordings: Mapping[str, Wording] | None = None) -> Floats:
        """Scores float32 [n] of `patterns` for a question whose topic is masked by "it"; differences are log-odds.

        Args:
            question: such as "who directed it".
            patterns: each (name or words of a type, walked forward) from the topic on.
            wordings: a person's own texts of types, by name.

        Raises:
            BadInputError: the question is blank, or a pattern has no hop.
        """
        return self.score_texts(question, [pattern_text(_checked(hops), wordings) for hops in patterns])

    def log_probabilities(
        self, question: str, patterns: Sequence[Hops], wordings: Mapping[str, Wording] | None = None
    ) -> Floats:
        """Log-probabilities float32 [n] that the question asks for each of `patterns`, given that it asks for one."""
        scores = self.score(question, patterns, wordings)
        if not len(scores):
            return scores
        top = scores.max()
        return np.asarray(scores - top - np.log(np.exp(scores - top).sum()), dtype=np.float32)

    def score_texts(self, question: str, texts: Sequence[str]) -> Floats:
        """Scores float32 [n] of patterns that are in words already (`pattern_text`)."""
        if not question.strip():
            raise BadInputError("an empty question asks for nothing", field="question", bound="at least one character")
        if not texts:
            return np.empty(0, dtype=np.float32)
        said = self._patterns(texts)
        return self._matched(self._question(question), said)

    def fit(self, question: str, text: str) -> tuple[float, float]:
        """The score of a pattern in words, and how far the question explains it, in [-1, 1]; unlike scores, the latter
        compares between questions.
        """
        score, explained = self.fits(question, [text])[0]
        return float(score), float(explained)

    def fits(self, question: str, texts: Sequence[str]) -> Floats:
        """The fit of each text [n, 2]."""
        parts = self._parts(self._question(question), self._patterns(texts))
        return np.stack([parts @ self._weights, parts[:, 2]], axis=1)

    def means(self, texts: Sequence[str]) -> Floats:
        """The unit means [n, d] of the tokens of texts."""
        return np.stack([read.mean for read in self._patterns(texts)])

    def warm(self, patterns: Sequence[Hops], wordings: Mapping[str, Wording] | None = None) -> None:
        """Read the texts of `patterns` now, so that no question waits for them."""
        self._patterns([pattern_text(_checked(hops), wordings) for hops in patterns])

    def _question(self, question: str) -> ReadText:
        """A question made ready; it is scored again and again while it is read, and encoded once."""
        with self._lock:
            kept = self._asked.get(question)
        if kept is not None:
            return kept
        read = self.reader.question(question)
        with self._lock:
            self._asked[question] = read
            while len(self._asked) > _QUESTIONS:
                self._asked.popitem(last=False)
        return read

    def _patterns(self, texts: Sequence[str]) -> list[ReadText]:
        with self._lock:
            kept = [self._kept.get(text) for text in texts]
            if len(self._kept) > self._cached // 2:  # until then nothing is let go soon
                for text in [text for text, read in zip(texts, kept, strict=True) if read is not None]:
                    self._kept.move_to_end(text)
        known = [read for read in kept if read is not None]
        if len(known) == len(texts):
            return known
        missing = sorted({text for text, read in zip(texts, kept, strict=True) if read is None}, key=len)
        found: dict[str, ReadText] = {}
        for start in range(0, len(missing), _SLICE):
            part = missing[start : start + _SLICE]
            found |= zip(part, self.reader.patterns(part), strict=True)
        with self._lock:
            self._kept.update(found)
            while len(self._kept) > self._cached:
                self._kept.popitem(last=False)
        return [found[text] if read is None else read for text, read in zip(texts, kept, strict=True)]

    def _matched(self, asked: ReadText, said: Sequence[ReadText]) -> Floats:
        return np.asarray(self._parts(asked, said) @ self._weights, np.float32)

    @staticmethod
    def _parts(asked: ReadText, said: Sequence[ReadText]) -> Floats:
        """The parts of the matcher's scores [n, 3], over tokens laid end to end: cosine of means, how far the pattern
        covers the question, how far the question explains the pattern.
        """
        lengths = [len(read.shares) for read in said]
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        near = asked.tokens @ np.concatenate([read.tokens for read in said]).T
        covered = asked.shares @ np.maximum.reduceat(near, starts, axis=1)
        shares = np.concatenate([read.shares for read in said])
        explained = np.add.reduceat(near.max(axis=0) * shares, starts)
        means = np.stack([read.mean for read in said]) @ asked.mean
        return np.stack([means, covered, explained], axis=1)


def _checked(hops: Hops) -> Hops:
    if not len(hops):
        raise BadInputError("a pattern without a hop asks for nothing", field="patterns", bound="at least one hop")
    return hops


TAUGHT = "taught reader"
"""The kind of a checkpoint that teaches the shipped reader a person's words."""


class TaughtScorer(PatternScorer):
    """The shipped scorer with what a person's own questions taught it beside its scores.

    Args:
        shipped: the scorer that was taught.
        weight, centre: `(q - centre) W p` is added to the score of a pattern p; float32 [d, d] and [d].
        offset: what is added to the log-odds of an answer's being right.
    """

    def __init__(self, shipped: PatternScorer, weight: Floats, centre: Floats, offset: float = 0.0) -> None:
        super().__init__(shipped.reader)
        self.offset = offset
        self._shipped, self._weight, self._centre = shipped, weight, centre

    @staticmethod
    def read(path: Path, shipped: PatternScorer) -> TaughtScorer:
        """The scorer of the checkpoint at `path`.

        Raises:
            NotFoundError, BadInputError: its files are away or damaged, or it was taught to another reader.
        """
        about, tensors = read_files(path)
        weights = path.with_name(f"{path.name}.safetensors").read_bytes()
        if about.get("kind") != TAUGHT or hashlib.sha256(weights).hexdigest() != about.get("sha256"):
            raise BadInputError(f"{path} is damaged, or no taught reader", remedy="train it again", field="policy")
        if about.get("reader") != shipped.fingerprint:
            raise BadInputError(f"{path} was taught to another reader", remedy="train it again", field="policy")
        return TaughtScorer(shipped, tensors["weight"], tensors["centre"], float(tensors["offset"][0]))

    def score(self, question: str, patterns: Sequence[Hops], wordings: Mapping[str, Wording] | None = None) -> Floats:
        """As `PatternScorer.score`, with what was taught."""
        texts = [pattern_text(_checked(hops), wordings) for hops in patterns]
        return self._shipped.score_texts(question, texts) + self._taught(question, texts)

    def score_texts(self, question: str, texts: Sequence[str]) -> Floats:
        """As shipped: for what people ask of other graphs, nothing was taught."""
        return self._shipped.score_texts(question, texts)

    def fit(self, question: str, text: str) -> tuple[float, float]:
        """As `PatternScorer.fit`, with what was taught."""
        score, explained = self._shipped.fit(question, text)
        return score + float(self._taught(question, [text])[0]), explained

    def _taught(self, question: str, texts: Sequence[str]) -> Floats:
        asked = (self._shipped.means([question])[0] - self._centre) @ self._weight
        return np.asarray(self._shipped.means(texts) @ asked, dtype=np.float32)
