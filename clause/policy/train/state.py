"""The state of a training run on disk, so that a killed run goes on and ends as an unbroken one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from clause.errors import BadInputError, ConflictError
from clause.policy.serve.networks import RelationScorer
from clause.policy.train.lagrangian import Multiplier
from clause.policy.train.learner import Learner

Best = dict[str, Tensor]


@dataclass(slots=True)
class RunState:
    """A run's state besides its learner: the best round's actors and validation, that of cloning, and all figures."""

    best: Best = field(default_factory=dict)
    best_score: float = -1.0
    best_iteration: int = -1
    validation: dict[str, float] = field(default_factory=dict)
    cloned: dict[str, float] = field(default_factory=dict)
    history: list[dict[str, float]] = field(default_factory=list)


def write(folder: Path, scorer: RelationScorer, learner: Learner, state: RunState, *, owner: str) -> None:
    """Write everything; the JSON comes last and names the tensors' file, so a kill leaves the state before or after."""
    from safetensors.torch import save_file  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, Tensor] = {f"best.{name}": value for name, value in state.best.items()}
    for part, module in _modules(scorer, learner).items():
        tensors |= {f"{part}.{name}": value.detach() for name, value in module.state_dict().items()}
    for part, optimiser in _optimisers(learner).items():
        for number, slots in optimiser.state_dict()["state"].items():
            tensors |= {f"{part}.{number}.{name}": value for name, value in slots.items()}
    file = folder / f"state-{learner.iteration:05d}.safetensors"
    save_file({name: value.contiguous().clone() for name, value in tensors.items()}, file)
    multipliers = {name: [asdict(one) for one in bins] for name, bins in learner.multipliers.table.items()}
    about = {
        "owner": owner,
        "tensors": file.name,
        "iteration": learner.iteration,
        "rng": learner.rng.bit_generator.state,
        "multipliers": multipliers,
        "run": {name: value for name, value in asdict(state).items() if name != "best"},
    }
    draft = folder / "state.json.part"
    draft.write_text(json.dumps(about), encoding="utf-8")
    draft.replace(folder / "state.json")
    for old in folder.glob("state-*.safetensors"):
        if old != file:
            old.unlink()


def exists(folder: Path) -> bool:
    """True where a run left its state here."""
    return (folder / "state.json").is_file()


def read(folder: Path, scorer: RelationScorer, learner: Learner, *, owner: str) -> RunState:
    """Put everything back.

    Raises:
        ConflictError: the run had another recipe or other data.
        BadInputError: the files are damaged.
    """
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.torch import load_file  # noqa: PLC0415

    try:
        about: dict[str, Any] = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        if about["owner"] != owner:
            raise ConflictError(
                f"the run in {folder} has another recipe or other data", remedy="choose another --out, or no --resume"
            )
        tensors = load_file(folder / about["tensors"])
        for part, module in _modules(scorer, learner).items():
            module.load_state_dict(_part(tensors, part))
        for part, optimiser in _optimisers(learner).items():
            _restore(optimiser, _part(tensors, part))
        learner.iteration = about["iteration"]
        learner.rng.bit_generator.state = about["rng"]
        for name, bins in about["multipliers"].items():
            learner.multipliers.table[name] = [Multiplier(**one) for one in bins]
        return RunState(best=_part(tensors, "best"), **about["run"])
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise BadInputError(f"the run in {folder} cannot be resumed: its state is damaged") from error


def _modules(scorer: RelationScorer, learner: Learner) -> dict[str, nn.Module]:
    return {"scorer": scorer, "actors": learner.actors, "critic": learner.critic, "norm": learner.norm}


def _optimisers(learner: Learner) -> dict[str, torch.optim.Optimizer]:
    return {"actor_optimiser": learner.actor_optimiser, "critic_optimiser": learner.critic_optimiser}


def _part(tensors: dict[str, Tensor], part: str) -> dict[str, Tensor]:
    return {name.removeprefix(f"{part}."): value for name, value in tensors.items() if name.startswith(f"{part}.")}


def _restore(optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    slots: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        number, slot = name.split(".", 1)
        slots.setdefault(int(number), {})[slot] = value
    optimiser.load_state_dict({"state": slots, "param_groups": optimiser.state_dict()["param_groups"]})
