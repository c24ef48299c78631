"""The reader in torch, as it is trained: a small BERT whose token states a question and a pattern are matched by.

It is taught a person's words by a residual beside its scores, `(q - centre) W p` over its own vectors of a masked
question and of a pattern: blank (W = 0) it is the reader that ships.

Served it is from `clause.text.bert` and `clause.policy.serve.pattern_scorer`, or from here with CLAUSE_BACKEND=torch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, softplus

from clause.arrays import Floats
from clause.errors import BadInputError, SetupError
from clause.policy.serve.pattern_scorer import LONGEST, PatternScorer, ReadText, read_files
from clause.text.bert import layer_names
from clause.text.embedder import packaged_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_EPSILON = 1e-12


def mixed_precision() -> torch.autocast:
    """Bfloat16 for products, where the processor has it: elsewhere it would be made by hand, and 20 times slower."""
    return torch.autocast("cpu", torch.bfloat16, enabled=torch.ops.mkldnn._is_mkldnn_bf16_supported())


class TokenStates:
    """States of the tokens of several texts: a table [texts, longest, d] and which of its places hold a token."""

    def __init__(self, states: Tensor, present: Tensor) -> None:
        self.states = states
        self.present = present


class _Layer(nn.Module):
    """One layer of BERT over tokens laid end to end."""

    def __init__(self, width: int, inner: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.joined = nn.Linear(width, width)
        self.joined_norm = nn.LayerNorm(width, eps=_EPSILON)
        self.wide = nn.Linear(width, inner)
        self.narrow = nn.Linear(inner, width)
        self.narrow_norm = nn.LayerNorm(width, eps=_EPSILON)

    def forward(self, flat: Tensor, present: Tensor) -> Tensor:
        texts, longest = present.shape
        query, key, value = (self._spread(part(flat), texts, longest, present) for part in self._parts())
        # By hand: the library's fused attention takes ten times as long to train over texts as short as these.
        near = (query @ key.transpose(2, 3)) * query.shape[-1] ** -0.5
        seen = near.masked_fill(~present[:, None, None, :], -torch.inf).softmax(-1).to(value.dtype) @ value
        joined = seen.transpose(1, 2).reshape(texts, longest, -1)[present]
        flat = self.joined_norm(self.joined(joined) + flat)
        return self.narrow_norm(self.narrow(gelu(self.wide(flat))) + flat)  # type: ignore[no-any-return]

    def _parts(self) -> tuple[nn.Module, ...]:
        return self.query, self.key, self.value

    def _spread(self, flat: Tensor, texts: int, longest: int, present: Tensor) -> Tensor:
        table = flat.new_zeros(texts, longest, flat.shape[-1])
        table[present] = flat
        return table.view(texts, longest, self.heads, -1).transpose(1, 2)


class TokenEncoder(nn.Module):
    """A BERT as wide as MiniLM, of any number of layers, with weights under the names of its safetensors file."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        words: int,
        width: int,
        inner: int,
        heads: int,
        layers: int,
        longest: int = LONGEST,
    ) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self.word = nn.Embedding(words, width)
        self.place = nn.Parameter(torch.zeros(longest, width))
        self.norm = nn.LayerNorm(width, eps=_EPSILON)
        self.layers = nn.ModuleList(_Layer(width, inner, heads) for _ in range(layers))

    @staticmethod
    def packaged(folder: Path, longest: int = LONGEST) -> TokenEncoder:
        """The encoder of the model that is in `folder`, for texts of up to `longest` tokens.

        Raises:
            SetupError: the folder does not hold such a model.
        """
        from safetensors.torch import load_file  # noqa: PLC0415 - with the model alone
        from tokenizers import Tokenizer  # noqa: PLC0415

        try:
            weights = load_file(folder / "model.safetensors")
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except (OSError, ValueError) as error:
            remedy = "install clause with its dependencies"
            raise SetupError(f"the reader's encoder cannot be loaded from {folder}: {error}", remedy=remedy) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(longest)
        layers = sum(name.endswith("intermediate.dense.bias") for name in weights)
        encoder = TokenEncoder(tokenizer, words=30522, width=384, inner=1536, heads=12, layers=layers, longest=longest)
        encoder.load_state_dict(_renamed(weights, longest))
        return encoder

    def forward(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> TokenStates:
        """The states of the tokens of `texts`, those at both ends included."""
        rows = [row.ids for row in self._tokenizer.encode_batch(list(texts))]
        lengths = torch.tensor([len(row) for row in rows])
        present = torch.arange(int(lengths.max()))[None] < lengths[:, None]
        places = torch.cat([torch.arange(len(row)) for row in rows])
        flat = self.norm(self.word(torch.tensor([token for row in rows for token in row])) + self.place[places])
        for layer in self.layers:
            flat = layer(flat, present)
        flat = flat.float()
        states = flat.new_zeros(*present.shape, flat.shape[-1])
        states[present] = flat
        return TokenStates(states, present)


def _renamed(weights: Mapping[str, Tensor], longest: int) -> dict[str, Tensor]:
    """A BERT's weights by the names used here; the type of a text (always the first) is added to its places."""
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    places = weights["embeddings.position_embeddings.weight"][:longest] + kind
    return {"word.weight": weights["embeddings.word_embeddings.weight"], "place": places, **layer_names(weights)}


def packaged_encoder(longest: int = LONGEST) -> TokenEncoder:
    """The encoder as it is installed, before any training, for texts of up to `longest` tokens.

    Raises:
        SetupError: its package is not installed.
    """
    return TokenEncoder.packaged(packaged_folder(), longest)


class Side(NamedTuple):
    """Texts made ready for matching."""

    mean: Tensor
    """Unit means of their tokens, [n, d]."""
    tokens: Tensor
    """Unit vectors of their tokens, [n, longest, k]."""
    shares: Tensor
    """The weight of each token in its text, [n, longest], of sum 1; 0 where there is none."""


class Matcher(nn.Module):
    """Late interaction: every token of the question by what explains it in the pattern, and the other way round.

    A hop that the question does not ask for leaves tokens of the pattern unexplained; a hop that is missing leaves
    words of the question so. Hop count is settled by that, not by a prior.
    """

    def __init__(self, width: int = 384, narrow: int = 128) -> None:
        super().__init__()
        self.narrow = nn.Linear(width, narrow, bias=False)
        self.question_share = nn.Linear(width, 1)
        self.pattern_share = nn.Linear(width, 1)
        self.scales = nn.Parameter(torch.tensor([10.0, 10.0, 10.0]))
        for share in (self.question_share, self.pattern_share):
            nn.init.zeros_(share.weight)
            nn.init.zeros_(share.bias)

    def question(self, texts: TokenStates) -> Side:
        """Questions made ready."""
        return self._side(texts, self.question_share)

    def pattern(self, texts: TokenStates) -> Side:
        """Patterns made ready."""
        return self._side(texts, self.pattern_share)

    def forward(self, questions: Side, patterns: Side) -> Tensor:
        """Scores of all patterns for all questions, [questions, patterns]; differences are log-odds."""
        means = questions.mean @ patterns.mean.T
        asked, said = questions.tokens, patterns.tokens
        flat = asked.reshape(-1, asked.shape[-1]) @ said.reshape(-1, said.shape[-1]).T
        near = flat.view(len(asked), asked.shape[1], len(said), said.shape[1]).permute(0, 2, 1, 3)
        by_question = near.masked_fill((patterns.shares == 0)[None, :, None, :], -1.0).amax(3)
        by_pattern = near.masked_fill((questions.shares == 0)[:, None, :, None], -1.0).amax(2)
        covered = torch.einsum("qpi,qi->qp", by_question, questions.shares)
        explained = torch.einsum("qpj,pj->qp", by_pattern, patterns.shares)
        scales = softplus(self.scales)
        return scales[0] * means + scales[1] * covered + scales[2] * explained

    def _side(self, texts: TokenStates, share: nn.Linear) -> Side:
        present = texts.present
        sums = (texts.states * present[..., None]).sum(1)
        weights = share(texts.states)[..., 0].masked_fill(~present, -torch.inf)
        tokens = normalize(self.narrow(texts.states), dim=-1) * present[..., None]
        return Side(normalize(sums, dim=-1), tokens, torch.softmax(weights, dim=-1) * present)


class TrainedReader:
    """A trained encoder and matcher, as the pattern scorer asks for them.

    Args:
        about: how they were trained, for reports.
    """

    def __init__(self, encoder: TokenEncoder, matcher: Matcher, about: Mapping[str, Any] | None = None) -> None:
        self._encoder = encoder.eval().requires_grad_(False)
        self._matcher = matcher.eval().requires_grad_(False)
        self.about = dict(about or {})

    @classmethod
    def load(cls, path: Path) -> TrainedReader:
        """The reader at `path`.safetensors and `path`.json, over the installed encoder; raises as `read_files`."""
        about, tensors = read_files(path)
        encoder, matcher = packaged_encoder(), Matcher(narrow=int(about.get("narrow", 128)))
        try:
            _fill(encoder, tensors, "encoder.")
            _fill(matcher, tensors, "matcher.")
        except (RuntimeError, KeyError) as error:
            raise BadInputError(f"{path} is no pattern scorer: {error}", field="path") from error
        return cls(encoder, matcher, about)

    def parts(self) -> tuple[TokenEncoder, Matcher]:
        """Its encoder and its matcher, to be trained on."""
        return self._encoder, self._matcher.requires_grad_(True)

    def save(self, path: Path, tuned: Sequence[str]) -> None:
        """Write `path`.safetensors (float16; of the encoder what begins with one of `tuned`) and `path`.json."""
        from safetensors.torch import save_file  # noqa: PLC0415

        state = self._encoder.state_dict()
        kept = {f"encoder.{name}": value.half() for name, value in state.items() if name.startswith(tuple(tuned))}
        kept |= {f"matcher.{name}": value.half() for name, value in self._matcher.state_dict().items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file({name: value.contiguous() for name, value in kept.items()}, path.with_suffix(".safetensors"))
        about = {**self.about, "narrow": self._matcher.narrow.out_features}
        path.with_suffix(".json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    @property
    def scales(self) -> Floats:
        """The weights of the three parts of a score [3]."""
        return np.asarray(softplus(self._matcher.scales).numpy(), dtype=np.float32)

    @torch.inference_mode()
    def question(self, text: str) -> ReadText:
        """A question made ready for matching."""
        return _unpadded(self._matcher.question(self._encoder([text])))[0]

    @torch.inference_mode()
    def patterns(self, texts: Sequence[str]) -> list[ReadText]:
        """Patterns made ready for matching."""
        return _unpadded(self._matcher.pattern(self._encoder(texts)))


def _unpadded(side: Side) -> list[ReadText]:
    lengths = (side.shares > 0).sum(1).tolist()
    mean, tokens, shares = (np.asarray(table, dtype=np.float32) for table in side)
    return [
        ReadText(mean[row], tokens[row, :length].copy(), shares[row, :length].copy())
        for row, length in enumerate(lengths)
    ]


def _fill(module: nn.Module, weights: Mapping[str, Floats], prefix: str) -> None:
    """Put the weights under `prefix` in their places; what is not among them stays as it is."""
    own = {name.removeprefix(prefix): torch.tensor(w) for name, w in weights.items() if name.startswith(prefix)}
    unknown = set(own) - set(module.state_dict())
    if unknown or not own:
        raise KeyError(f"unknown or no weights under {prefix}: {sorted(unknown)[:3]}")
    module.load_state_dict(own, strict=False)


PRECISIONS = (0.3, 0.03, 0.003)
"""Precisions of the normal prior on W that are tried, the most cautious first."""
_FOLDS = 5
_WHOLE = 4_000  # lessons up to which all are one batch, and each is left out once

TeachingReport = Callable[[str, int, int, dict[str, float]], None]
"""Called with (phase, done, total, figures)."""


@dataclass(frozen=True, slots=True)
class ReaderLesson:
    """A masked question, the patterns around its topic in words, their scores as shipped, and which are right."""

    question: str
    patterns: tuple[str, ...]
    scores: tuple[float, ...]
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LessonTable:
    """Lessons as tensors: questions [n, d] and patterns [m, d]; of each lesson the places of its patterns [n, k], their
    shipped scores (-inf where there is none), and which are right.
    """

    questions: Tensor
    patterns: Tensor
    places: Tensor
    scores: Tensor
    right: Tensor

    @classmethod
    def of(cls, lessons: Sequence[ReaderLesson], scorer: PatternScorer) -> LessonTable:
        """The lessons in the reader's vectors."""
        texts = sorted({text for one in lessons for text in one.patterns})
        place, widest = {text: number for number, text in enumerate(texts)}, max(len(one.patterns) for one in lessons)
        shape = (len(lessons), widest)
        places, scores, right = torch.zeros(shape, dtype=torch.int64), torch.full(shape, -torch.inf), torch.zeros(shape)
        for row, one in enumerate(lessons):
            count = len(one.patterns)
            places[row, :count] = torch.tensor([place[text] for text in one.patterns])
            scores[row, :count] = torch.tensor(one.scores)
            right[row, list(one.right)] = 1.0
        asked, said = (torch.from_numpy(scorer.means(part)) for part in ([one.question for one in lessons], texts))
        return cls(asked, said, places, scores, right.bool())

    def loss(self, weight: Tensor, centre: Tensor, rows: Tensor) -> Tensor:
        """The mean negative log-probability that a right pattern is asked for, over some lessons."""
        matched = ((self.questions[rows] - centre) @ weight) @ self.patterns.T
        logits = self.scores[rows] + matched.gather(1, self.places[rows])
        right = logits.masked_fill(~self.right[rows], -torch.inf)
        return (logits.logsumexp(1) - right.logsumexp(1)).mean()

    def fitted(self, rows: Tensor, precision: float) -> Fit:
        """W [d, d] and the centre [d] that some lessons teach under a prior of this precision; the same each time."""
        centre, width = self.questions[rows].mean(0), self.questions.shape[1]
        weight = torch.zeros(width, width, requires_grad=True)
        optimiser = torch.optim.LBFGS([weight], max_iter=40, history_size=8, line_search_fn="strong_wolfe")
        parts = torch.split(rows, _WHOLE)

        def closure() -> Tensor:
            optimiser.zero_grad()
            total = precision / (2 * len(rows)) * weight.square().sum()
            total.backward()  # type: ignore[no-untyped-call]
            for part in parts:
                share = self.loss(weight, centre, part) * (len(part) / len(rows))
                share.backward()  # type: ignore[no-untyped-call]
                total = total + share.detach()
            return total.detach()

        optimiser.step(closure)  # type: ignore[no-untyped-call]
        return weight.detach(), centre


Fit = tuple[Tensor, Tensor]
"""W [d, d] and the centre [d]."""


class LeftOutFold(NamedTuple):
    """Questions that were left out, and what all others taught, by the precision of the prior; 0.0 is blank."""

    questions: list[int]
    fits: dict[float, Fit]


def left_out(
    table: LessonTable, groups: Sequence[int], questions: int, seed: int, report: TeachingReport
) -> list[LeftOutFold]:
    """Fits of each precision with a part of the questions left out; of many questions one part alone.

    Args:
        groups: the question that each lesson is of, from 0 to `questions`: its lessons are left out together.
    """
    fold_of = np.random.default_rng(seed).permutation(questions) % _FOLDS
    fold, everyone = torch.from_numpy(fold_of[np.asarray(groups)]), torch.arange(len(groups))
    tried = range(_FOLDS if len(groups) <= _WHOLE else 1)
    kept = [one for one in tried if (fold == one).any() and (fold != one).any()]
    found = []
    for done, one in enumerate(kept, start=1):
        fits = {0.0: blank(table)} | {prior: table.fitted(everyone[fold != one], prior) for prior in PRECISIONS}
        losses = {prior: float(table.loss(*fit, everyone[fold == one])) for prior, fit in fits.items()}
        report("teaching", done, len(kept), {"shipped_loss": losses[0.0], "taught_loss": min(losses.values())})
        found.append(LeftOutFold(np.flatnonzero(fold_of == one).tolist(), fits))
    return found


def blank(table: LessonTable) -> Fit:
    """Make the fit that teaches nothing."""
    width = table.questions.shape[1]
    return torch.zeros(width, width), torch.zeros(width)
