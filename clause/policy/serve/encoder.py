"""A small BERT whose token states a question and a pattern are matched by: late interaction of all their tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, softplus

from clause.errors import SetupError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


LONGEST = 64
_EPSILON = 1e-12


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
    """Six layers of MiniLM (or any BERT of that form) with weights under the names of its safetensors file."""

    def __init__(self, tokenizer: Tokenizer, *, words: int, width: int, inner: int, heads: int, layers: int) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self.word = nn.Embedding(words, width)
        self.place = nn.Parameter(torch.zeros(LONGEST, width))
        self.norm = nn.LayerNorm(width, eps=_EPSILON)
        self.layers = nn.ModuleList(_Layer(width, inner, heads) for _ in range(layers))

    @staticmethod
    def packaged(folder: Path) -> TokenEncoder:
        """The encoder of the embedding model that is installed in `folder`.

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
        tokenizer.enable_truncation(LONGEST)
        encoder = TokenEncoder(tokenizer, words=30522, width=384, inner=1536, heads=12, layers=6)
        encoder.load_state_dict(_renamed(weights))
        return encoder

    def forward(self, texts: Sequence[str]) -> TokenStates:
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


_NAMES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "joined",
    "attention.output.LayerNorm": "joined_norm",
    "intermediate.dense": "wide",
    "output.dense": "narrow",
    "output.LayerNorm": "narrow_norm",
}


def _renamed(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A BERT's weights by the names used here; the type of a text (always the first) is added to its places."""
    table = "embeddings."
    kind = weights[table + "token_type_embeddings.weight"][0]
    places = weights[table + "position_embeddings.weight"][:LONGEST] + kind
    named = {
        "word.weight": weights[table + "word_embeddings.weight"],
        "place": places,
        "norm.weight": weights[table + "LayerNorm.weight"],
        "norm.bias": weights[table + "LayerNorm.bias"],
    }
    for name, value in weights.items():
        if name.startswith("encoder.layer."):
            number, _, rest = name.removeprefix("encoder.layer.").partition(".")
            part, _, last = rest.rpartition(".")
            named[f"layers.{number}.{_NAMES[part]}.{last}"] = value
    return named


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
