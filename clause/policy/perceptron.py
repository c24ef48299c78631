"""The agents' networks over their options, without torch: what serving runs for every decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import MASKED

Floats = NDArray[np.float32]

NETWORKS = ("architect", "edges", "navigator", "curator")
"""The option networks of a checkpoint; `edges` ranks the edges inside a bundle."""


@dataclass(frozen=True, slots=True)
class OptionPerceptron:
    """Two hidden layers of tanh over each option's features and the shared context, then one logit.

    The first layer is split, so that the context is multiplied once for all options. Each of its halves holds the
    weights of all decisions, then what is added to them under masks.
    """

    by_option: Floats  # [H, 2 F]
    by_context: Floats  # [H, 2 C]
    bias: Floats  # [H]
    second: Floats  # [H, H]
    second_bias: Floats  # [H]
    logit: Floats  # [H]

    @classmethod
    def of(cls, tensors: Mapping[str, NDArray[np.float32]], name: str) -> OptionPerceptron:
        """The network `name` of a checkpoint's tensors."""
        fields = ("by_option.weight", "by_context.weight", "by_context.bias", "second.weight", "second.bias")
        first, context, bias, second, second_bias = (tensors[f"{name}.{field}"] for field in fields)
        return cls(first, context, bias, second, second_bias, tensors[f"{name}.logit.weight"][0])

    def keys(self, options: Floats, context: Floats) -> Floats:
        """Keys of options [n, H] from their features [n, F] and the context [C]; of one option [F]: [H]."""
        masked = context[MASKED]
        seen = options @ _under(self.by_option, masked).T + (_under(self.by_context, masked) @ context + self.bias)
        hidden = np.tanh(seen)
        keys: Floats = np.tanh(hidden @ self.second.T + self.second_bias)
        return keys

    def logits(self, options: Floats, context: Floats) -> Floats:
        """One number for each option [n] from its features [n, F] and the context [C]."""
        logits: Floats = self.keys(options, context) @ self.logit
        return logits


def _under(weights: Floats, masked: float) -> Floats:
    half = weights.shape[1] // 2
    return weights[:, :half] + masked * weights[:, half:]


def balanced(logits: Floats, alone: NDArray[np.bool_]) -> Floats:
    """Logits, those of options that are not an operation of their own lowered by the log of their number.

    So the log-odds of acting against stopping are log-sum-exp of the options minus log N, whatever N is (policy.md).

    >>> [round(float(logit), 3) for logit in balanced(np.zeros(3, dtype=np.float32), np.array([True, False, False]))]
    [0.0, -0.693, -0.693]
    """
    others = len(alone) - int(alone.sum())
    return np.where(alone, logits, logits - np.float32(np.log(max(1, others))))


def log_softmax(logits: Floats) -> Floats:
    """Log-probabilities of one distribution [n]."""
    shifted = logits - logits.max()
    logs: Floats = shifted - np.log(np.exp(shifted).sum())
    return logs
