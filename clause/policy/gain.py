"""The critic's head for relevance: what a hop gains, foretold before it is taken (intelligence.md, Curiosity).

The task head of the critic foretells the reward of the whole episode, which says nothing of one hop's relevance; so
this head is fitted to `realised` itself, on the same inputs: what the Navigator knew, and the key of its option. It is
linear, which leaves the two cosines to whoever has the vectors: they are not read before the answer is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clause.policy.observations import CONTEXT
from clause.reasoning.policy import Foresight

Floats = NDArray[np.float32]
COSINES = ("cosine_before", "cosine_of_relation")
"""The first inputs: the best cosine before the hop, and that of its relationship's words; context and key follow."""


def inputs(before: float, relation: float, context: Floats, key: Floats) -> Floats:
    """One row of the head's inputs, float32 [2 + C + H]."""
    return np.concatenate(([before, relation], context, key)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class GainHead:
    """`expected = bias + weights . inputs`, on the scale of `clause.intelligence.curiosity.realised`.

    Attributes:
        weights: float32 [2 + C + H], in the order of `inputs`.
        bias: the rest.
    """

    weights: Floats
    bias: float

    def foresight(self, context: Floats, key: Floats) -> Foresight:
        """What is foretold of a hop from the Navigator's context [C] and the option's key [H]."""
        first = len(COSINES)
        base = self.bias + float(self.weights[first:] @ np.concatenate((context, key)))
        return Foresight(base, float(self.weights[0]), float(self.weights[1]))

    def tensors(self) -> dict[str, Floats]:
        """What `read` reads."""
        return {"weights": self.weights, "bias": np.array([self.bias], dtype=np.float32)}

    @classmethod
    def read(cls, tensors: Mapping[str, Floats], *, keys: int) -> GainHead | None:
        """The head of a checkpoint's tensors, for keys of H numbers; None in a checkpoint without one.

        Raises:
            ValueError: it has another size, or holds numbers that are not finite.
        """
        if not tensors:
            return None
        weights, bias = tensors["weights"], tensors["bias"]
        if weights.shape != (len(COSINES) + len(CONTEXT) + keys,) or bias.shape != (1,):
            raise ValueError(f"a head for {keys} numbers of a key cannot have {weights.shape} weights")
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise ValueError("the head's numbers are not finite")
        return cls(weights, float(bias[0]))
