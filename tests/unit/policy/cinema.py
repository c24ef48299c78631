"""A small cinema for the policy's tests: a random film graph, questions about it, and networks of every kind."""

from __future__ import annotations

import asyncio
from functools import cache

import numpy as np
import torch

from clause.policy.config import NetworkConfig
from clause.policy.serve.agents import Plan
from clause.policy.serve.checkpoint import About
from clause.policy.train.networks import Actors, Checkpoint, RelationScorer
from clause.policy.train.rollout import Task
from clause.reasoning.neighbourhood.port import Hop, RelationshipType
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.text.names import relation_words
from tests.fakes.embedder import HashEmbedder

RELATIONS = ("directed_by", "has_genre", "starred_actors")
DIMENSION = 32
NETWORK = NetworkConfig(dimension=DIMENSION, hidden=16, option_hidden=8)
DIRECTED, DIRECTS = Hop("directed_by", True), Hop("directed_by", False)
STARS, GENRE = Hop("starred_actors", True), Hop("has_genre", True)
EMBEDDER = HashEmbedder(DIMENSION)


@cache
def types() -> dict[str, RelationshipType]:
    """The registry, with vectors of the fake embedder."""
    texts = [relation_words(relation, forward) for relation in RELATIONS for forward in (True, False)]
    vectors = iter(asyncio.run(EMBEDDER.embed(texts)))
    return {
        name: RelationshipType(
            name, relation_words(name, True), relation_words(name, False), next(vectors), next(vectors)
        )
        for name in RELATIONS
    }


@cache
def cinema() -> Snapshot:
    """24 films, 4 directors, 10 actors, 3 genres; the same every time."""
    rng = np.random.default_rng(3)
    names: dict[str, str] = {}
    edges = []
    for number in range(24):
        film = f"film{number}"
        names[film] = "A Long Name of a Film " * int(rng.integers(1, 4)) + str(number)
        edges.append((film, "directed_by", f"director{rng.integers(4)}"))
        edges += [(film, "starred_actors", f"actor{actor}") for actor in rng.choice(10, size=3, replace=False)]
        edges += [(film, "has_genre", f"genre{genre}") for genre in rng.choice(3, size=2, replace=False)]
    names |= {end: end.title() for _, _, end in edges}
    return Snapshot.build(names, edges, types().values())


def walk(seed: str, pattern: tuple[Hop, ...]) -> frozenset[str]:
    """Where a pattern ends, never back on its seed."""
    front = {seed}
    for hop in pattern:
        neighbours = cinema().expand_now(sorted(front), per_type=1000, hops=(hop,)).neighbours
        front = {edge.other(node) for node in front for edge in neighbours[node].get(hop, ())} - {seed}
    return frozenset(front)


def task(seed: str = "film0", pattern: tuple[Hop, ...] = (DIRECTED, DIRECTS, STARS)) -> Task:
    """A question whose plan is right."""
    ladder = (*({hop: -0.1, None: -2.5} for hop in pattern), {None: -0.1})
    return Task((Plan(seed, pattern, 0.9, ladder),), walk(seed, pattern))


def actors(seed: int = 0, *, loud: bool = False) -> Actors:
    """Option networks; `loud` ones have random last layers, so that they prefer something."""
    torch.manual_seed(seed)
    made = Actors(NETWORK.option_hidden)
    if loud:
        for name, parameter in made.named_parameters():
            if name.endswith("logit.weight"):
                torch.nn.init.normal_(parameter, std=3.0)
    return made


def checkpoint(seed: int = 0) -> Checkpoint:
    """A checkpoint of untrained networks."""
    torch.manual_seed(seed)
    about = About("test", NETWORK, "hash", {"epochs": 1}, "abc", {"em": 0.5}, "rev")
    return Checkpoint(about, RelationScorer(NETWORK).eval(), actors(seed).eval())
