"""Checkpoints: safetensors for the numbers, JSON for what they mean. Never pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clause.arrays import Floats
from clause.errors import BadInputError, NotFoundError
from clause.policy.config import NetworkConfig
from clause.policy.serve.decider import NETWORKS, OptionPerceptron
from clause.policy.serve.observations import ARCHITECT_OPTION, CONTEXT, CURATOR_OPTION, EDGE, NAVIGATOR_OPTION, GainHead
from clause.policy.serve.reader import HopScorer, ScoresHops

Tensors = dict[str, Floats]

FORMAT = 3
SHIPPED = Path(__file__).parent / "checkpoints" / "metaqa"
OBSERVED = [*CONTEXT, *ARCHITECT_OPTION, *EDGE, *NAVIGATOR_OPTION, *CURATOR_OPTION]
"""The meaning of every input; networks fitted to another list are refused."""


@dataclass(frozen=True, slots=True)
class About:
    """The contents of a checkpoint's JSON; `kept_aside` are own questions with answers, for the gate."""

    name: str
    network: NetworkConfig
    embedder: str
    recipe: Mapping[str, Any] = field(default_factory=dict)
    data_fingerprint: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    git_revision: str = ""
    kept_aside: tuple[Mapping[str, Any], ...] = ()


WIDTHS = dict(zip(NETWORKS, map(len, (ARCHITECT_OPTION, EDGE, NAVIGATOR_OPTION, CURATOR_OPTION)), strict=True))
"""Features of an option, by network."""


@dataclass(frozen=True, slots=True)
class ServedPolicy:
    """A trained policy as it is served: without torch, unless its scorer is torch's own.

    Attributes:
        scorer: of relationships.
        networks: of options, by name.
        gain: the critic's head for relevance, all that serving needs of it, or None.
    """

    about: About
    scorer: ScoresHops
    networks: Mapping[str, OptionPerceptron]
    gain: GainHead | None = None


def served(
    path: Path = SHIPPED, *, embedder: str | None = None, dimension: int | None = None, backend: str = "onnx"
) -> ServedPolicy:
    """The policy of the checkpoint at `path`, its scorer in numpy or in torch; arguments and errors as `read`."""
    about, tensors = read(path, embedder=embedder, dimension=dimension)
    scorer: ScoresHops = HopScorer(part(tensors, "scorer"))
    if backend == "torch":
        from clause.policy.train.networks import TrainedHops  # noqa: PLC0415 -- torch takes seconds

        scorer = TrainedHops.of(about.network, part(tensors, "scorer"))
    options = part(tensors, "actors.networks")
    networks = {name: OptionPerceptron.of(options, name) for name in NETWORKS}
    return ServedPolicy(about, scorer, networks, gain_of(about, tensors))


def gain_of(about: About, tensors: Mapping[str, Floats]) -> GainHead | None:
    """The head for relevance of a checkpoint's tensors, or None."""
    return GainHead.read(part(tensors, "gain"), keys=about.network.option_hidden)


def read(path: Path = SHIPPED, *, embedder: str | None = None, dimension: int | None = None) -> tuple[About, Tensors]:
    """The checkpoint at `path` (without ending): what it is, and its tensors by name.

    Args:
        path: where it lies; the shipped one by default.
        embedder, dimension: of the graph that it shall serve; None is not checked.

    Raises:
        NotFoundError: one of its files is missing.
        BadInputError: the files are damaged, do not belong together, or were made for another embedder or version.
    """
    about, sha256 = _read_about(path)
    if embedder is not None and about.embedder != embedder:
        raise BadInputError(
            f"checkpoint {path.name} was trained with the embedder {about.embedder!r}, the graph uses {embedder!r}",
            remedy="train one for this embedder: clause train",
            field="policy",
        )
    if dimension is not None and about.network.dimension != dimension:
        raise BadInputError(
            f"checkpoint {path.name} reads vectors of {about.network.dimension} numbers, the graph's have {dimension}",
            remedy="train one for this embedder: clause train",
            field="policy",
        )
    return about, _read_weights(path, about, sha256)


def _read_about(path: Path) -> tuple[About, str]:
    file = path.with_suffix(".json")
    if not file.is_file():
        raise NotFoundError(f"no checkpoint at {file}", remedy="clause train makes one", field="policy")
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["format"] != FORMAT or found["observed"] != OBSERVED:
            raise BadInputError(
                f"checkpoint {path.name} belongs to another version of clause", remedy="train it again", field="policy"
            )
        about = About(
            found["name"],
            NetworkConfig(**found["network"]),
            found["embedder"]["model"],
            found["recipe"],
            found["data_fingerprint"],
            found["metrics"],
            found["git_revision"],
            tuple(found.get("kept_aside", ())),
        )
        return about, str(found["sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} describes no checkpoint", field="policy") from error


def _read_weights(path: Path, about: About, sha256: str) -> Tensors:
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.numpy import load_file  # noqa: PLC0415

    weights = path.with_suffix(".safetensors")
    if not weights.is_file():
        raise NotFoundError(f"no weights at {weights}", remedy="clause train makes them", field="policy")
    if digest(weights) != sha256:
        raise BadInputError(f"{weights} is damaged or belongs to another checkpoint", field="policy")
    try:
        tensors = load_file(weights)
        _try_out(about, tensors)
    except (SafetensorError, KeyError, ValueError) as error:
        raise BadInputError(f"{weights} does not fit its description", field="policy") from error
    if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
        raise BadInputError(f"{weights} holds numbers that are not finite", field="policy")
    return tensors


def _try_out(about: About, tensors: Tensors) -> None:
    """Run the networks once.

    Raises:
        KeyError, ValueError: they have other sizes than those told.
    """
    blank = np.zeros((1, about.network.dimension), dtype=np.float32)
    one = np.zeros(1, dtype=np.int64)
    paths = HopScorer(part(tensors, "scorer")).paths(blank, blank[None], np.ones((1, 1), dtype=bool), blank)
    if paths.choices(one, paths.walk(paths.start, one)).shape != (1, 2) or paths.start.shape[1] != about.network.hidden:
        raise ValueError("the scorer has other sizes")
    for name, width in WIDTHS.items():
        network = OptionPerceptron.of(part(tensors, "actors.networks"), name)
        keys = network.keys(np.zeros((1, width), dtype=np.float32), np.zeros(len(CONTEXT), dtype=np.float32))
        if keys.shape[1] != about.network.option_hidden or network.logit.shape != keys.shape[1:]:
            raise ValueError(f"the network {name} has other sizes")
    gain_of(about, tensors)


def part(tensors: Mapping[str, Floats], name: str) -> Tensors:
    """The tensors below `name`, without it."""
    return {key.removeprefix(f"{name}."): value for key, value in tensors.items() if key.startswith(f"{name}.")}


def digest(file: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
