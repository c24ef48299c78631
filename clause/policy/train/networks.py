"""The networks in torch, as they are trained: the relationship scorer (policy.md, Networks), the agents' networks over
their options, the critic, and what is served of them as a checkpoint.

Axes: B questions, W words, T typed hops (a relationship type in one direction), D embedding, H hidden.
Everything here is ours; the paper gives no architecture that could be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from clause.arrays import Flags, Floats, Longs, Vectors
from clause.policy.config import NetworkConfig
from clause.policy.serve.checkpoint import FORMAT, OBSERVED, SHIPPED, WIDTHS, About, digest, gain_of, part, read
from clause.policy.serve.observations import CONTEXT, MASKED, GainHead
from clause.policy.serve.reader import HopScorer, strangers
from clause.policy.train.advantage import HEADS

AGENTS = 3


class Reading(NamedTuple):
    """A batch of questions in vectors, with the typed hops to choose from.

    Attributes:
        sentence: unit vectors of the masked questions [B, D].
        words: unit vectors of their words [B, W, D], zero where there is none.
        present: which words there are, bool [B, W].
        types: unit vectors of the typed hops' texts [T, D].
        withheld: for which typed hops the learned path may not speak, bool [T]; once trained, not against them.
    """

    sentence: Tensor
    words: Tensor
    present: Tensor
    types: Tensor
    withheld: Tensor


class Encoded(NamedTuple):
    """The parts that do not change along the path: the reading, and its projections (Q questions, W words, T types)."""

    reading: Reading
    start: Tensor  # [B, H]
    question: Tensor  # [B, H]
    word_keys: Tensor  # [B, W, H]
    type_keys: Tensor  # [T, H]
    type_steps: Tensor  # [T, H]

    def spread(self, owner: Tensor) -> Encoded:
        """Questions repeated: row i is question `owner[i]`."""
        reading = self.reading
        rows = reading._replace(
            sentence=reading.sentence[owner], words=reading.words[owner], present=reading.present[owner]
        )
        return Encoded(
            rows, self.start[owner], self.question[owner], self.word_keys[owner], self.type_keys, self.type_steps
        )


class RelationScorer(nn.Module):
    """Scores the next hop of a path from a question: a learned and a similarity path, mixed by a learned gate.

    - learned: (state, question) . type, after LayerNorm on the unit vectors, whose numbers are otherwise tiny;
    - similarity: cosine of the type's text with the words that the state attends to, and with the whole question;
    - STOP comes from the state alone. The state is a GRU over the types walked so far.

    There are no embeddings of nodes' or types' ids: any type with a text can be scored. The learned path rejects what
    no question of the training was about, so it may not speak against a
    stranger among familiar types (`clause.policy.serve.reader.strangers`).

    Attributes:
        familiar: unit vectors of the names that types had in training [K, D].
    """

    familiar: Tensor

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        dimension, hidden = config.dimension, config.hidden
        self.config = config
        self.norm = nn.LayerNorm(dimension)
        self.begin = nn.Linear(dimension, hidden)
        self.first = nn.Parameter(torch.zeros(hidden))
        self.read_type = nn.Linear(dimension, hidden)
        self.path = nn.GRUCell(hidden, hidden)
        self.query = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.question = nn.Linear(dimension, hidden)
        self.key = nn.Linear(dimension, hidden)
        self.attend = nn.Linear(hidden, hidden)
        self.read_word = nn.Linear(dimension, hidden)
        self.gate = nn.Linear(hidden, 1)
        self.sharpness = nn.Parameter(torch.tensor([2.0, 2.0]))
        self.stop = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.register_buffer("familiar", torch.zeros(0, dimension))

    def encode(self, reading: Reading) -> Encoded:
        """Project the texts once for all hops of the path."""
        sentence, types = self.norm(reading.sentence), self.norm(reading.types)
        start = self.path(self.first.expand(len(sentence), -1), torch.tanh(self.begin(sentence)))
        word_keys = self.read_word(self.norm(reading.words))
        return Encoded(reading, start, self.question(sentence), word_keys, self.key(types), self.read_type(types))

    def walk(self, encoded: Encoded, state: Tensor, hop: Tensor) -> Tensor:
        """The state [B, H] after walking hop number `hop` [B] of the types."""
        step: Tensor = self.path(encoded.type_steps[hop], state)
        return step

    def choices(self, encoded: Encoded, state: Tensor) -> Tensor:
        """Log-probabilities of what comes next in this state [B, T + 1], the last of which is STOP."""
        both = torch.cat((state, encoded.question), dim=-1)
        learned = self.query(both) @ encoded.type_keys.T / self.config.hidden**0.5
        bounded = torch.zeros_like(learned) if self.training else learned.clamp(min=0)
        learned = torch.where(encoded.reading.withheld, bounded, learned)
        gate = torch.sigmoid(self.gate(state))
        scores = gate * learned + (1 - gate) * self.similarity(encoded, state)
        return functional.log_softmax(torch.cat((scores, self.stop(both)), dim=-1), dim=-1)

    def similarity(self, encoded: Encoded, state: Tensor) -> Tensor:
        """Sharpened cosines of the types [B, T] with the attended words and with the whole question."""
        reading = encoded.reading
        weights = torch.einsum("bh,bwh->bw", self.attend(state), encoded.word_keys) / self.config.hidden**0.5
        share = weights.masked_fill(~reading.present, -torch.inf).softmax(dim=-1)
        by_word = torch.einsum("bw,bwd->bd", share, reading.words) @ reading.types.T
        by_sentence = reading.sentence @ reading.types.T
        scale = self.sharpness.exp()
        similarity: Tensor = scale[0] * by_word + scale[1] * by_sentence
        return similarity

    def _load_from_state_dict(self, state_dict: Mapping[str, Any], prefix: str, *rest: Any) -> None:
        """Take as many familiar names as there are; torch wants the same number on both sides."""
        found = state_dict.get(f"{prefix}familiar")
        self.familiar = self.familiar if found is None else torch.empty_like(found)
        super()._load_from_state_dict(state_dict, prefix, *rest)


class OptionNetwork(nn.Module):
    """Keys [n, H] of options from their features [n, F] and their decision's context, and a logit from each key.

    The first layer has weights of its own for decisions under masks, added to those for all (decision 15).
    """

    def __init__(self, features: int, context: int, hidden: int) -> None:
        super().__init__()
        self.by_option = nn.Linear(2 * features, hidden, bias=False)
        self.by_context = nn.Linear(2 * context, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.logit = nn.Linear(hidden, 1, bias=False)
        nn.init.zeros_(self.logit.weight)

    def keys(self, options: Tensor, context: Tensor, owner: Tensor) -> Tensor:
        """Keys of options; `context` [D, C] is of the decisions, `owner` [n] says whose option each is."""
        masked = context[:, MASKED, None]
        seen = self.by_option(_twice(options, masked[owner])) + self.by_context(_twice(context, masked))[owner]
        hidden = torch.tanh(seen)
        return torch.tanh(self.second(hidden))

    def forward(self, options: Tensor, context: Tensor, owner: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [n] and keys [n, H]."""
        keys = self.keys(options, context, owner)
        return self.logit(keys)[:, 0], keys


class Actors(nn.Module):
    """One network for each kind of option; the names are those of `perceptron.NETWORKS`."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.networks = nn.ModuleDict(
            {name: OptionNetwork(width, len(CONTEXT), hidden) for name, width in WIDTHS.items()}
        )

    def network(self, name: str) -> OptionNetwork:
        """One of them."""
        network = self.networks[name]
        assert isinstance(network, OptionNetwork)  # noqa: S101
        return network


def _twice(features: Tensor, masked: Tensor) -> Tensor:
    return torch.cat((features, features * masked), dim=1)


class MonotoneMixer(nn.Module):
    """Mixes utilities [n, 3] to one value [n], rising in each of them, by weights that the state makes.

    After Rashid et al., QMIX, 2018: absolute weights, so that the sign of every derivative is known.
    """

    def __init__(self, context: int, width: int = 8) -> None:
        super().__init__()
        self.width = width
        self.first = nn.Linear(context, AGENTS * width)
        self.first_bias = nn.Linear(context, width)
        self.second = nn.Linear(context, width)
        self.second_bias = nn.Linear(context, 1)

    def forward(self, utilities: Tensor, context: Tensor) -> Tensor:
        """The mixed value of each row; `context` [n, C]."""
        weights = self.first(context).abs().view(-1, AGENTS, self.width)
        hidden = functional.elu(torch.einsum("na,naw->nw", utilities, weights) + self.first_bias(context))
        mixed: Tensor = (hidden * self.second(context).abs()).sum(dim=1) + self.second_bias(context)[:, 0]
        return mixed


class Critic(nn.Module):
    """Five Q heads.

    Args:
        keys: width H of the actors' keys.
        hidden: width of the state's network.
        mixer: how the task head is mixed with the other agents' values.
        by_option: whether options differ in value; without, every option of a state is worth V(s).
    """

    def __init__(
        self, keys: int, hidden: int = 64, *, mixer: Literal["monotone", "sum"] = "monotone", by_option: bool = True
    ) -> None:
        super().__init__()
        self.keys = keys
        self.mixing = mixer
        self.by_option = by_option
        self.state = nn.Sequential(nn.Linear(len(CONTEXT), hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.queries = nn.Linear(hidden, len(HEADS) * keys)
        self.offsets = nn.Linear(hidden, len(HEADS))
        self.values = nn.Linear(hidden, AGENTS)
        self.mixer = MonotoneMixer(len(CONTEXT))

    def forward(self, keys: Tensor, context: Tensor, owner: Tensor) -> Tensor:
        """Q of every option under every head [N, 5], from keys [N, H], contexts [D, C] and each option's decision."""
        state = self.state(context)
        heads: Tensor = self.offsets(state)[owner]
        if self.by_option:
            queries = self.queries(state).view(-1, len(HEADS), self.keys)
            heads = heads + torch.einsum("nk,nhk->nh", keys, queries[owner]) / self.keys**0.5
        acting = context[:, :AGENTS][owner] > 0
        utilities = torch.where(acting, heads[:, :1], self.values(state)[owner])
        task = utilities.sum(dim=1) if self.mixing == "sum" else self.mixer(utilities, context[owner])
        return torch.cat((task[:, None], heads[:, 1:]), dim=1)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A trained policy; `gain` is the critic's head for relevance, all that serving needs of it, or None."""

    about: About
    scorer: RelationScorer
    actors: Actors
    gain: GainHead | None = None


def save(checkpoint: Checkpoint, path: Path) -> None:
    """Write `path`.safetensors and `path`.json; each appears whole or not at all."""
    modules = (("scorer", checkpoint.scorer), ("actors", checkpoint.actors))
    tensors = {f"{name}.{key}": value for name, module in modules for key, value in arrays(module).items()}
    if checkpoint.gain is not None:
        tensors |= {f"gain.{name}": value for name, value in checkpoint.gain.tensors().items()}
    _write(checkpoint.about, tensors, path)


def _write(about: About, tensors: Mapping[str, Floats], path: Path) -> None:
    from safetensors.numpy import save_file  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    weights = path.with_suffix(".safetensors")
    save_file({name: np.ascontiguousarray(value) for name, value in tensors.items()}, weights.with_suffix(".part"))
    weights.with_suffix(".part").replace(weights)
    written = {
        "format": FORMAT,
        "name": about.name,
        "network": about.network.model_dump(),
        "embedder": {"model": about.embedder, "dimension": about.network.dimension},
        "observed": OBSERVED,
        "recipe": about.recipe,
        "data_fingerprint": about.data_fingerprint,
        "metrics": about.metrics,
        "git_revision": about.git_revision,
        **({"kept_aside": about.kept_aside} if about.kept_aside else {}),
        "sha256": digest(weights),
    }
    draft = path.with_suffix(".json.part")
    draft.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(path.with_suffix(".json"))


def load(path: Path = SHIPPED, *, embedder: str | None = None, dimension: int | None = None) -> Checkpoint:
    """The checkpoint at `path` (without ending); arguments and errors as `clause.policy.serve.checkpoint.read`."""
    about, tensors = read(path, embedder=embedder, dimension=dimension)
    actors = Actors(about.network.option_hidden)
    _fill(actors, part(tensors, "actors"))
    return Checkpoint(about, _scorer(about.network, part(tensors, "scorer")), actors.eval(), gain_of(about, tensors))


def arrays(module: nn.Module) -> dict[str, Floats]:
    """A copy of the module's weights, by their names."""
    return {name: value.detach().numpy().copy() for name, value in module.state_dict().items()}


def exported(scorer: RelationScorer) -> HopScorer:
    """The scorer as it is served."""
    return HopScorer(arrays(scorer))


def _scorer(network: NetworkConfig, tensors: Mapping[str, Floats]) -> RelationScorer:
    scorer = RelationScorer(network)
    _fill(scorer, tensors)
    return scorer.eval()


def _fill(module: nn.Module, tensors: Mapping[str, Floats]) -> None:
    module.load_state_dict({name: torch.tensor(value) for name, value in tensors.items()})


class TrainedHops:
    """The relationship scorer served from torch (CLAUSE_BACKEND=torch)."""

    def __init__(self, scorer: RelationScorer) -> None:
        self._scorer = scorer

    @classmethod
    def of(cls, network: NetworkConfig, tensors: Mapping[str, Floats]) -> TrainedHops:
        """The scorer of a checkpoint's tensors."""
        return cls(_scorer(network, tensors))

    @property
    def familiar(self) -> Vectors:
        """Unit vectors of the names that types had in training [K, D]."""
        found: Vectors = self._scorer.familiar.numpy()
        return found

    @torch.inference_mode()
    def paths(self, sentence: Vectors, words: Floats, present: Flags, types: Vectors) -> TrainedPaths:
        """As `clause.policy.serve.reader.ScoresHops.paths`."""
        withheld = strangers(types, self.familiar)
        given = (torch.from_numpy(array) for array in (sentence, words, present, types, withheld))
        return TrainedPaths(self._scorer, self._scorer.encode(Reading(*given)))


class TrainedPaths:
    """The paths of some questions, by `TrainedHops`."""

    def __init__(self, scorer: RelationScorer, encoded: Encoded) -> None:
        self._scorer, self._encoded = scorer, encoded
        self.start: Floats = encoded.start.numpy()

    @torch.inference_mode()
    def choices(self, owner: Longs, states: Floats) -> Floats:
        """As `clause.policy.serve.reader.Paths.choices`."""
        spread = self._encoded.spread(torch.from_numpy(owner))
        return np.asarray(self._scorer.choices(spread, torch.from_numpy(states)))

    @torch.inference_mode()
    def walk(self, states: Floats, hops: Longs) -> Floats:
        """As `clause.policy.serve.reader.Paths.walk`."""
        return np.asarray(self._scorer.walk(self._encoded, torch.from_numpy(states), torch.from_numpy(hops)))
