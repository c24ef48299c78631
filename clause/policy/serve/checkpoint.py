"""Checkpoints: safetensors for the numbers, JSON for what they mean. Never pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from clause.errors import BadInputError, NotFoundError
from clause.policy.config import NetworkConfig
from clause.policy.serve.networks import Actors, RelationScorer
from clause.policy.serve.observations import ARCHITECT_OPTION, CONTEXT, CURATOR_OPTION, EDGE, NAVIGATOR_OPTION, GainHead

FORMAT = 3
SHIPPED = Path(__file__).parent / "checkpoints" / "metaqa"
OBSERVED = [*CONTEXT, *ARCHITECT_OPTION, *EDGE, *NAVIGATOR_OPTION, *CURATOR_OPTION]
"""The meaning of every input; networks fitted to another list are refused."""


@dataclass(frozen=True, slots=True)
class About:
    """The contents of a checkpoint's JSON."""

    name: str
    network: NetworkConfig
    embedder: str
    recipe: Mapping[str, Any] = field(default_factory=dict)
    data_fingerprint: str = ""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    git_revision: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A trained policy; `gain` is the critic's head for relevance, all that serving needs of it, or None."""

    about: About
    scorer: RelationScorer
    actors: Actors
    gain: GainHead | None = None


def save(checkpoint: Checkpoint, path: Path) -> None:
    """Write `path`.safetensors and `path`.json; each appears whole or not at all."""
    from safetensors.torch import save_file  # noqa: PLC0415

    path.parent.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, Tensor] = {
        f"{part}.{name}": value.detach().contiguous()
        for part, module in (("scorer", checkpoint.scorer), ("actors", checkpoint.actors))
        for name, value in module.state_dict().items()
    }
    if checkpoint.gain is not None:
        tensors |= {f"gain.{name}": torch.from_numpy(value) for name, value in checkpoint.gain.tensors().items()}
    weights = path.with_suffix(".safetensors")
    save_file(tensors, weights.with_suffix(".part"))
    weights.with_suffix(".part").replace(weights)
    about = checkpoint.about
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
        "sha256": _digest(weights),
    }
    draft = path.with_suffix(".json.part")
    draft.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(path.with_suffix(".json"))


def load(path: Path = SHIPPED, *, embedder: str | None = None, dimension: int | None = None) -> Checkpoint:
    """The checkpoint at `path` (without ending).

    Args:
        path: where it lies; the shipped one by default.
        embedder, dimension: of the graph that it shall serve; None is not checked.

    Raises:
        NotFoundError: one of its files is missing.
        BadInputError: the files are damaged, do not belong together, or were made for another embedder or version.
    """
    about, digest = _read_about(path)
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
    return _read_weights(path, about, digest)


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
        network = NetworkConfig(**found["network"])
        about = About(
            found["name"],
            network,
            found["embedder"]["model"],
            found["recipe"],
            found["data_fingerprint"],
            found["metrics"],
            found["git_revision"],
        )
        return about, str(found["sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} describes no checkpoint", field="policy") from error


def _read_weights(path: Path, about: About, digest: str) -> Checkpoint:
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.torch import load_file  # noqa: PLC0415

    weights = path.with_suffix(".safetensors")
    if not weights.is_file():
        raise NotFoundError(f"no weights at {weights}", remedy="clause train makes them", field="policy")
    if _digest(weights) != digest:
        raise BadInputError(f"{weights} is damaged or belongs to another checkpoint", field="policy")
    scorer, actors = RelationScorer(about.network), Actors(about.network.option_hidden)
    try:
        tensors = load_file(weights)
        for part, module in (("scorer", scorer), ("actors", actors)):
            module.load_state_dict(_part(tensors, part))
        told = {name: value.numpy() for name, value in _part(tensors, "gain").items()}
        gain = GainHead.read(told, keys=about.network.option_hidden)
    except (SafetensorError, RuntimeError, KeyError, ValueError) as error:
        raise BadInputError(f"{weights} does not fit its description", field="policy") from error
    for parameter in (*scorer.parameters(), *actors.parameters()):
        if not torch.isfinite(parameter).all():
            raise BadInputError(f"{weights} holds numbers that are not finite", field="policy")
    return Checkpoint(about, scorer.eval(), actors.eval(), gain)


def _part(tensors: Mapping[str, Tensor], part: str) -> dict[str, Tensor]:
    return {name.removeprefix(f"{part}."): value for name, value in tensors.items() if name.startswith(f"{part}.")}


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
