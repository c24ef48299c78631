"""One iteration of LC-MAPPO: rollouts, in one process or spread over several, values, returns, the dual step, then the
update of critic and actors."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from itertools import chain
from types import TracebackType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from clause.arrays import Doubles
from clause.policy.config import LearningConfig
from clause.policy.serve.decider import NETWORK_OF, Choice, Decider, OptionPerceptron
from clause.policy.serve.observations import NEUTRAL_PRICE
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
from clause.policy.train.networks import Actors, Critic
from clause.policy.train.rollout import Arena, DecisionBatch, PlayedEpisode, Task, collect, evaluate, segment_sum
from clause.reasoning.episode.budget import TOKENS_PER_PRICE_UNIT, Budgets, Prices
from clause.workers import RayPool, Shared, end_with_parent

Networks = Mapping[str, OptionPerceptron]


@dataclass(frozen=True, slots=True)
class TrainingGround:
    """The ground on which agents learn: the arena, the tasks they play, and those kept apart for validation."""

    arena: Arena
    tasks: Sequence[Task]
    apart: Sequence[Task] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """An episode to judge by: a place among the tasks kept apart, its limits, and whether they are masks."""

    place: int
    limits: Budgets
    hard: bool = True


class Rollouts:
    """Episodes on one ground: played here, or by `workers` processes that are kept for the next round, or by tasks of a
    Ray cluster.

    Each worker has a share of a round and randomness of its own, drawn from that of the run: the same seed and number
    of workers give the same episodes, and a share whose process was killed is played again to the same end.
    """

    def __init__(self, ground: TrainingGround, workers: int = 1, cluster: RayPool | None = None) -> None:
        """Nothing is started yet."""
        self.ground = ground
        self._workers = workers
        self._cluster = cluster
        self._shared: Shared[TrainingGround] | None = None
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Rollouts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes; they start again when used again."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def collect(self, networks: Networks, rng: np.random.Generator, config: LearningConfig) -> list[PlayedEpisode]:
        """The episodes of one round."""
        if self._workers == 1:
            return _collected(self.ground, networks, rng, config, config.episodes)
        keys = rng.integers(2**63, size=self._workers).tolist()
        counts = [len(part) for part in np.array_split(np.arange(config.episodes), self._workers)]
        return self._spread(
            _collected_apart, [(networks, key, config, count) for key, count in zip(keys, counts, strict=True)]
        )

    def judged(self, networks: Networks, matches: Sequence[Match]) -> list[tuple[float, bool]]:
        """Of each match, played by the most probable actions: its supported F1, and whether its limits were kept."""
        if self._workers == 1:
            return _judged(self.ground, networks, matches)
        size = -(-len(matches) // self._workers) or 1
        shares = [matches[start : start + size] for start in range(0, len(matches), size)]
        return self._spread(_judged_apart, [(networks, share) for share in shares])

    def _spread(self, work: Callable[..., list[Any]], shares: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The results of all shares, in their order; a process that was killed is replaced once."""
        if self._cluster is not None:
            self._shared = self._shared or self._cluster.share(self.ground)
            tasks = [(self._shared, work, *share) for share in shares]
            return list(chain.from_iterable(self._cluster.map(_on_cluster, tasks)))
        for last in (False, True):
            if self._pool is None:
                spawned = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self._workers, spawned, _settle, (self.ground,))
            try:
                futures = [self._pool.submit(work, *share) for share in shares]
                return list(chain.from_iterable(future.result() for future in futures))
            except BrokenProcessPool:
                self.close()
                if last:
                    raise
        raise AssertionError("unreachable")


_SETTLED: list[TrainingGround] = []  # in a worker: the ground that it was given when it started


def _settle(ground: TrainingGround) -> None:
    """In a worker: one thread of torch, and an end with the process that trains even where that one is killed."""
    _SETTLED[:] = [ground]
    torch.set_num_threads(1)
    end_with_parent()


def _on_cluster(shared: Shared[TrainingGround], work: Callable[..., list[Any]], *share: Any) -> list[Any]:
    ground = shared.value()
    if not _SETTLED or _SETTLED[0] is not ground:
        _settle(ground)
    return work(*share)


def _collected_apart(networks: Networks, key: int, config: LearningConfig, episodes: int) -> list[PlayedEpisode]:
    return _collected(_SETTLED[0], networks, np.random.default_rng(key), config, episodes)


def _judged_apart(networks: Networks, matches: Sequence[Match]) -> list[tuple[float, bool]]:
    return _judged(_SETTLED[0], networks, matches)


def _collected(
    ground: TrainingGround, networks: Networks, rng: np.random.Generator, config: LearningConfig, episodes: int
) -> list[PlayedEpisode]:
    return collect(
        ground.arena,
        ground.tasks,
        networks,
        rng,
        episodes=episodes,
        price_share=config.price_share,
        change_share=config.change_share,
    )


def _judged(ground: TrainingGround, networks: Networks, matches: Sequence[Match]) -> list[tuple[float, bool]]:
    decider, arena, free = Decider(networks), ground.arena, Prices()
    found = []
    for match in matches:
        task = ground.apart[match.place]
        result = arena.play(task, arena.agents(task, replace(decider), free), match.limits, free, hard=match.hard)
        found.append((result.f1, not match.limits.exceeded_by(result.spend)))
    return found


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

    def iterate(self, rollouts: Rollouts) -> dict[str, float]:
        """One round; its figures."""
        config = self.config
        played = rollouts.collect(serving_networks(self.actors), self.rng, config)
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
            found[f"{name}_f1"] = float(np.mean([episode.f1 for episode in group]))
            found[f"{name}_em"] = float(np.mean([episode.exact for episode in group]))
            costs = np.mean([episode.costs for episode in group], axis=0)
            found |= {f"{name}_{label}": float(cost) for label, cost in zip(CONSTRAINTS, costs, strict=True)}
    return found


def _descend(loss: Tensor, module: nn.Module, optimiser: torch.optim.Optimizer, longest: float) -> None:
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(module.parameters(), longest)
    optimiser.step()
