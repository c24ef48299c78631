"""A BERT run over texts laid end to end: nothing is padded, and the weights are read once for all of them.

The layers that look at one token see all tokens in one product; attention is the text's own. A text's vector is then
the same whatever it is computed beside, which lets texts of different requests share a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn.functional import normalize, scaled_dot_product_attention

from clause.arrays import Floats

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class PackedBert:
    """The encoder of a sentence-transformers model of three parts: BERT, the mean of its tokens, unit length.

    Args:
        model: for which `fits` is true; its weights are shared, not copied.
    """

    def __init__(self, model: SentenceTransformer) -> None:
        self._bert: Any = model[0].auto_model
        self._tokenizer: Any = model.tokenizer
        self._longest = model.max_seq_length

    @staticmethod
    def fits(model: SentenceTransformer) -> bool:
        """True where a model is of those parts."""
        if not isinstance(model, torch.nn.Sequential):
            return False
        kinds = [type(part).__name__ for part in model]
        if kinds != ["Transformer", "Pooling", "Normalize"]:
            return False
        transformer, pooling, _ = model
        return type(transformer.auto_model).__name__ == "BertModel" and pooling.pooling_mode == "mean"

    @torch.inference_mode()
    def encode(self, texts: Sequence[str]) -> Floats:
        """Unit vectors float32 [n, d] of `texts`; what is longer than the model reads is cut off."""
        tokens = self._tokenizer(list(texts), truncation=True, max_length=self._longest)["input_ids"]
        lengths = [len(row) for row in tokens]
        states = self._embedded(torch.tensor([token for row in tokens for token in row]), lengths)
        for layer in self._bert.encoder.layer:
            states = _layer(layer, states, lengths)
        means = torch.stack([part.mean(0) for part in torch.split(states, lengths)])
        # Twice, as the library does: so its vectors are met to the last bit.
        return np.asarray(normalize(normalize(means, dim=1), dim=1), dtype=np.float32)

    def _embedded(self, tokens: torch.Tensor, lengths: list[int]) -> torch.Tensor:
        """What enters the first layer, [tokens, d]."""
        table = self._bert.embeddings
        places = torch.cat([torch.arange(length) for length in lengths])
        summed = table.word_embeddings(tokens) + table.token_type_embeddings.weight[0]
        return table.LayerNorm(summed + table.position_embeddings(places))  # type: ignore[no-any-return]


def _layer(layer: Any, states: torch.Tensor, lengths: list[int]) -> torch.Tensor:
    """One layer, [tokens, d] -> [tokens, d]; dropout is left out: the model is never in training."""
    own, output = layer.attention.self, layer.attention.output
    heads = [part(states).view(len(states), own.num_attention_heads, -1) for part in (own.query, own.key, own.value)]
    texts = zip(*(torch.split(head, lengths) for head in heads), strict=True)
    seen = torch.cat([_attention(*text) for text in texts])
    states = output.LayerNorm(output.dense(seen) + states)
    return layer.output.LayerNorm(layer.output.dense(layer.intermediate(states)) + states)  # type: ignore[no-any-return]


def _attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """What the tokens of one text see of each other: [tokens, heads, d / heads] each -> [tokens, d]."""
    turned = [part.transpose(0, 1)[None] for part in (query, key, value)]
    seen = scaled_dot_product_attention(turned[0], turned[1], turned[2])
    return seen[0].transpose(0, 1).reshape(len(query), -1)
