"""One iteration of LC-MAPPO: rollouts, values, returns, the dual step, then the update of critic and actors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from clause.arrays import Doubles
from clause.policy.config import LearningConfig
from clause.policy.serve.decider import NETWORK_OF, Choice
from clause.policy.serve.observations import CONTEXT, NEUTRAL_PRICE
from clause.policy.train.advantage import (
    HEADS,
    ValueNorm,
    approximate_kl,
    clipped_surrogate,
    constrained,
    penalised,
    standardised,
    td_lambda,
    value_loss,
)
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.lagrangian import CONSTRAINTS, Gains, Multipliers
from clause.policy.train.networks import Actors
from clause.policy.train.rollout import Arena, DecisionBatch, PlayedEpisode, Task, collect, evaluate, segment_sum
from clause.reasoning.episode.budget import TOKENS_PER_PRICE_UNIT

AGENTS = 3


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


def baseline(q: Tensor, log_probabilities: Tensor, owner: Tensor, decisions: int) -> Tensor:
    """sum_a pi(a) Q_h(s, a) of each decision [D, 5]: what the policy expects before it draws."""
    return segment_sum(q * log_probabilities.exp()[:, None], owner, decisions)


@dataclass(slots=True)
class Sample:
    """A decision with what the update needs of it."""

    choice: Choice
    returns: Doubles
    advantage: float


class Learner:
    """Actors, critic, multipliers and everything that a resumed run needs to go on as it would have.

    Args:
        actors: what is trained, in place.
        config: the recipe.
        seed: of rollouts and of the critic's weights.
    """

    def __init__(self, actors: Actors, config: LearningConfig, *, keys: int, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.actors = actors
        self.config = config
        self.critic = Critic(keys, mixer=config.mixer, by_option=config.counterfactual)
        self.norm = ValueNorm(len(HEADS))
        self.multipliers = Multipliers(
            bins=config.bins, active=config.active, chance_limit=config.chance_limit, start=config.dual_start
        )
        if config.held is not None:
            self.multipliers.hold(config.held)
        self.gains = Gains(config.dual_rate, config.dual_proportional, config.dual_derivative)
        self.actor_optimiser = torch.optim.Adam(actors.parameters(), lr=config.actor_rate, eps=1e-5)
        self.critic_optimiser = torch.optim.Adam(self.critic.parameters(), lr=config.critic_rate, eps=1e-5)
        self.rng = np.random.default_rng(seed)
        self.iteration = 0

    def iterate(self, arena: Arena, tasks: Sequence[Task]) -> dict[str, float]:
        """One round; its figures."""
        config = self.config
        played = collect(
            arena,
            tasks,
            serving_networks(self.actors),
            self.rng,
            episodes=config.episodes,
            price_share=config.price_share,
            change_share=config.change_share,
        )
        free = [episode for episode in played if episode.kind == "cap" and not episode.hard]
        if config.held is None:
            self.multipliers.update([(episode.budgets, episode.costs) for episode in free], self.gains)
        samples = self.judge(played)
        losses = self.update(samples)
        self.iteration += 1
        return {**figures(played), **losses, **self._multiplier_means()}

    def judge(self, played: Sequence[PlayedEpisode]) -> list[Sample]:
        """Returns and constrained advantages of every decision, by the critic as it is.

        Price and cap episodes are standardised apart: their costs are weighed on different scales.
        """
        flat = [choice for episode in played for choice in episode.choices]
        expected = self._values(flat)
        samples: list[Sample] = []
        start = 0
        for episode in played:
            stop = start + len(episode.choices)
            values, weights, rewards = expected[start:stop], self.multipliers_of(episode), episode.rewards
            if self.config.penalised:
                rewards, weights = penalised(rewards, weights), np.zeros(len(CONSTRAINTS))
            cut = values[-1] if episode.truncated else None
            returns = td_lambda(rewards, values, self.config.decay, bootstrap=cut)
            typical = values[0, 1:].clip(min=0) if episode.kind == "price" else None
            combined = constrained(returns - values, np.tile(weights, (len(values), 1)), typical)
            samples += [
                Sample(choice, target, float(advantage))
                for choice, target, advantage in zip(episode.choices, returns, combined, strict=True)
            ]
            start = stop
        kinds = [episode.kind for episode in played for _ in episode.choices]
        for kind in dict.fromkeys(kinds):
            mine = [sample for sample, own in zip(samples, kinds, strict=True) if own == kind]
            for sample, advantage in zip(mine, standardised([one.advantage for one in mine]).tolist(), strict=True):
                sample.advantage = advantage
        return samples

    def multipliers_of(self, episode: PlayedEpisode) -> Doubles:
        """The weights of an episode's costs: its prices, its limits' multipliers, or nothing under masks."""
        if episode.kind == "price":
            limits, prices = episode.budgets, episode.prices
            per_limit = (
                (prices.edge - NEUTRAL_PRICE) * limits.edges,
                (prices.latency - NEUTRAL_PRICE) * limits.steps,
                (prices.token - NEUTRAL_PRICE) * limits.tokens / TOKENS_PER_PRICE_UNIT,
            )
            return np.array([*(max(0.0, price) for price in per_limit), 0.0])
        return np.zeros(len(CONSTRAINTS)) if episode.hard else np.array(self.multipliers.of(episode.budgets))

    def update(self, samples: Sequence[Sample]) -> dict[str, float]:
        """PPO over the decisions of each agent; means of its losses."""
        config = self.config
        self._anneal()
        self.norm.update(torch.tensor(np.stack([sample.returns for sample in samples]), dtype=torch.float32))
        by_agent = {agent: [sample for sample in samples if sample.choice.agent == agent] for agent in NETWORK_OF}
        logged: dict[str, list[float]] = {"policy_loss": [], "value_loss": [], "entropy": [], "kl": []}
        for _ in range(config.epochs):
            for agent, mine in by_agent.items():
                order = self.rng.permutation(len(mine)).tolist()
                for start in range(0, len(order), config.minibatch):
                    part = [mine[place] for place in order[start : start + config.minibatch]]
                    for name, value in self._step(NETWORK_OF[agent], part).items():
                        logged[name].append(value)
        return {name: float(np.mean(values)) if values else 0.0 for name, values in logged.items()}

    def _step(self, network: str, part: Sequence[Sample]) -> dict[str, float]:
        batch = DecisionBatch.of([sample.choice for sample in part])
        advantage = torch.tensor([sample.advantage for sample in part], dtype=torch.float32)
        returns = torch.tensor(np.stack([sample.returns for sample in part]), dtype=torch.float32)
        seen = evaluate(self.actors, network, batch)
        policy = clipped_surrogate(seen.chosen, batch.old, advantage, self.config.clip)
        entropy = seen.entropy.mean()
        objective = policy - self._entropy_weight() * entropy
        _descend(objective, self.actors, self.actor_optimiser, self.config.gradient_norm)
        q = self.critic(seen.keys.detach(), batch.context, batch.owner)
        values = value_loss(q[batch.chosen], self.norm.normalise(returns))
        _descend(values, self.critic, self.critic_optimiser, self.config.gradient_norm)
        kl = approximate_kl(seen.chosen.detach(), batch.old)
        return {
            "policy_loss": float(policy.detach()),
            "value_loss": float(values.detach()),
            "entropy": float(entropy.detach()),
            "kl": float(kl),
        }

    @torch.no_grad()
    def _values(self, choices: Sequence[Choice]) -> Doubles:
        expected = np.zeros((len(choices), len(HEADS)))
        for agent, network in NETWORK_OF.items():
            places = [place for place, choice in enumerate(choices) if choice.agent == agent]
            for start in range(0, len(places), 4096):
                part = places[start : start + 4096]
                batch = DecisionBatch.of([choices[place] for place in part])
                seen = evaluate(self.actors, network, batch)
                for place, log_probability in zip(part, seen.chosen.tolist(), strict=True):
                    choices[place].log_probability = log_probability
                q = self.norm.restore(self.critic(seen.keys, batch.context, batch.owner))
                expected[part] = baseline(q, seen.log_probabilities, batch.owner, batch.decisions).numpy()
        return expected

    def _share_left(self) -> float:
        return max(0.1, 1 - self.iteration / max(1, self.config.iterations))

    def _entropy_weight(self) -> float:
        return self.config.entropy * self._share_left()

    def _anneal(self) -> None:
        for group in self.actor_optimiser.param_groups:
            group["lr"] = self.config.actor_rate * self._share_left()

    def _multiplier_means(self) -> dict[str, float]:
        table = self.multipliers.table
        return {f"multiplier_{name}": float(np.mean([one.value for one in table[name]])) for name in CONSTRAINTS}


def figures(played: Sequence[PlayedEpisode]) -> dict[str, float]:
    """The achievements and costs of a round's episodes, those with masks and those without apart."""
    found = {"episodes": float(len(played)), "decisions": float(np.mean([len(one.choices) for one in played]))}
    cap = [episode for episode in played if episode.kind == "cap"]
    for name, group in (("masked", [e for e in cap if e.hard]), ("unmasked", [e for e in cap if not e.hard])):
        if group:
            found[f"{name}_f1"] = float(np.mean([episode.result.f1 for episode in group]))
            found[f"{name}_em"] = float(np.mean([episode.result.exact for episode in group]))
            costs = np.mean([episode.costs for episode in group], axis=0)
            found |= {f"{name}_{label}": float(cost) for label, cost in zip(CONSTRAINTS, costs, strict=True)}
    return found


def _descend(loss: Tensor, module: nn.Module, optimiser: torch.optim.Optimizer, longest: float) -> None:
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(module.parameters(), longest)
    optimiser.step()
