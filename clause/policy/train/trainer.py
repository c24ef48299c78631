"""The whole training: labels, cloning, demonstrations, then LC-MAPPO; resumable, and reproducible from one seed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from clause.errors import BadInputError, ConflictError
from clause.policy.config import Recipe
from clause.policy.serve.checkpoint import About
from clause.policy.serve.reader import PatternReader, words
from clause.policy.train.demonstrations import demonstrate, imitate, serving_networks, with_gain
from clause.policy.train.lagrangian import Multiplier, sample_limits
from clause.policy.train.learner import Learner, Match, Rollouts, TrainingGround
from clause.policy.train.lessons import AnsweredQuestion, choose, fingerprint, label, pose
from clause.policy.train.networks import Actors, Checkpoint, RelationScorer, exported
from clause.policy.train.rollout import Arena
from clause.policy.train.warm_start import CloningLesson, VectorTable, clone
from clause.reasoning.episode.budget import AMPLE, Budgets
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.text.embedder import Embedder
from clause.workers import RayPool


class TensorBoardLog:
    """Writes scalars below `<folder>/tensorboard` while the block is open."""

    def __init__(self, folder: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 -- takes a second

        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def __enter__(self) -> TensorBoardLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    def write(self, phase: str, step: int, figures: Mapping[str, float]) -> None:
        """The figures of one step of a phase."""
        for name, value in figures.items():
            self._writer.add_scalar(f"{phase}/{name}", value, step)


TIGHT = tuple(
    Budgets(edges=edges, steps=steps, tokens=tokens)
    for edges, tokens, steps in itertools.product((5, 10, 20), (64, 128, 256), (3,))
)
"""The limits of validation: where budgets bind (policy.md, Goals)."""
PhaseReport = Callable[[str, int, int, Mapping[str, float]], None]
"""Called with (phase, done, total, figures)."""


@dataclass(frozen=True, slots=True)
class TrainingMaterial:
    """The material of a training: a graph, questions with answers, and the embedder of the graph."""

    snapshot: Snapshot
    questions: Sequence[AnsweredQuestion]
    embedder: Embedder


class Training:
    """One run.

    Args:
        recipe: its settings.
        material: its data; the snapshot's `types` carry the vectors of relationship types.
        folder: where its state is kept, and vectors of texts.
        report: called with (phase, done, total, figures) as it goes on.
        table: vectors of texts, shared by several runs; its own in `folder` by default.
        workers: processes that play the episodes; another number draws other ones.
        cluster: the Ray cluster whose tasks the workers are, in place of processes here.
    """

    def __init__(
        self,
        recipe: Recipe,
        material: TrainingMaterial,
        folder: Path,
        report: PhaseReport = lambda _phase, _done, _total, _figures: None,
        *,
        table: VectorTable | None = None,
        workers: int = 1,
        cluster: RayPool | None = None,
    ) -> None:
        self.recipe = recipe
        self.material = material
        self.folder = folder
        self.report = report
        self._table = table or VectorTable(material.embedder, folder)
        self.history: list[dict[str, float]] = []
        self.multipliers: dict[str, tuple[float, ...]] = {}
        self.data = fingerprint(material.snapshot, material.questions)
        self._workers, self._cluster = workers, cluster
        spread = f"-{workers} workers" if workers > 1 else ""
        self._owner = f"{recipe.fingerprint}-{self.data}-{material.embedder.model}{spread}"

    def run(self, *, resume: bool = False, name: str = "trained", git_revision: str = "") -> Checkpoint:
        """Train to the end; the best round by validation.

        Raises:
            ConflictError: `resume` meets a run of another recipe, other data or another number of workers.
        """
        torch.manual_seed(self.recipe.seed)
        network = self.recipe.network
        actors = Actors(network.option_hidden)
        learner = Learner(actors, self.recipe.learning, keys=network.option_hidden, seed=self.recipe.seed)
        begun = resume and has_state(self.folder)
        scorer = RelationScorer(network).eval() if begun else self._clone()
        state = read_state(self.folder, scorer, learner, owner=self._owner) if begun else RunState()
        ground = self._ground(scorer)
        if not begun and self.recipe.imitation_epochs:
            self._imitate(ground, actors)
        with Rollouts(ground, self._workers, self._cluster) as rollouts:
            if not begun:
                state.cloned = self._validate(rollouts, learner, state)
                write_state(self.folder, scorer, learner, state, owner=self._owner)
            self._learn(rollouts, learner, scorer, state)
        self.history, self.multipliers = state.history, learner.multipliers.values
        best = Actors(network.option_hidden)
        best.load_state_dict(state.best)
        metrics = {
            "cloned": state.cloned,
            "trained": state.validation,
            "best_iteration": state.best_iteration,
            "words": sorted({word for one in self.material.questions for word in words(one.masked)}),
        }
        about = About(
            name,
            network,
            self.material.embedder.model,
            self.recipe.model_dump(mode="json"),
            self.data,
            metrics,
            git_revision,
        )
        made = Checkpoint(about, scorer, best.eval())
        return with_gain(made, self.material.snapshot, self.material.questions, self._table, seed=self.recipe.seed)

    # -- phases --------------------------------------------------------------------------------------------------------

    def _clone(self) -> RelationScorer:
        recipe, snapshot = self.recipe, self.material.snapshot

        def tell(done: int, total: int) -> None:
            if done % 200 == 0 or done == total:
                self.report("labels", done, total, {})

        examples = label(snapshot, self.material.questions, max_hops=recipe.cloning.max_hops, tell=tell)
        lesson = CloningLesson(examples, snapshot.relations, self._table)

        def tell_epoch(epoch: int, figures: Mapping[str, float]) -> None:
            self.report("cloning", epoch + 1, recipe.cloning.epochs, figures)

        return clone(lesson, recipe.network, recipe.cloning, seed=recipe.seed, report=tell_epoch)

    def _ground(self, scorer: RelationScorer) -> TrainingGround:
        recipe, snapshot = self.recipe, self.material.snapshot
        posed = pose(snapshot, self.material.questions, PatternReader(exported(scorer)), self._table)
        chosen = choose(
            posed,
            np.random.default_rng(recipe.seed),
            count=recipe.learning_questions + recipe.validation,
            long_share=recipe.long_share,
            largest=recipe.largest_answer_set,
        )
        if not chosen and recipe.learning.iterations:
            raise BadInputError(
                f"no question has a plan and 1 to {recipe.largest_answer_set} answers in the graph", field="questions"
            )
        apart = min(recipe.validation, len(chosen) // 2)
        return TrainingGround(Arena(snapshot, deletes=recipe.network.deletes), chosen[apart:], chosen[:apart])

    def _imitate(self, ground: TrainingGround, actors: Actors) -> None:
        rng, tasks = np.random.default_rng(self.recipe.seed), ground.tasks
        drawn = [tasks[place] for place in rng.permutation(len(tasks))[: self.recipe.demonstrations].tolist()]
        choices = demonstrate(ground.arena, drawn, actors, rng, price_share=self.recipe.learning.price_share)
        loss = imitate(
            actors,
            choices,
            epochs=self.recipe.imitation_epochs,
            seed=self.recipe.seed,
            stop_share=self.recipe.stop_share,
        )
        self.report("imitation", 1, 1, {"loss": loss})

    def _learn(self, rollouts: Rollouts, learner: Learner, scorer: RelationScorer, state: RunState) -> None:
        total = self.recipe.learning.iterations
        while learner.iteration < total:
            figures = learner.iterate(rollouts)
            state.history.append(figures)
            if learner.iteration % self.recipe.validate_every == 0 or learner.iteration == total:
                figures |= self._validate(rollouts, learner, state)
                write_state(self.folder, scorer, learner, state, owner=self._owner)
            self.report("learning", learner.iteration, total, figures)

    def _validate(self, rollouts: Rollouts, learner: Learner, state: RunState) -> dict[str, float]:
        """Mean supported F1 over tight limits, at ample ones, and the share that keeps sampled limits without masks.

        The actors of the best round are kept: by the sum of the three.
        """
        figures: dict[str, float] = {}
        count = len(rollouts.ground.apart)
        if count:
            rng = np.random.default_rng(self.recipe.seed)
            matches = [Match(place, limits) for limits in (*TIGHT, AMPLE) for place in range(count)]
            matches += [Match(place, sample_limits(rng), hard=False) for place in range(count)]
            judged = rollouts.judged(serving_networks(learner.actors), matches)
            cells = [judged[start : start + count] for start in range(0, len(judged), count)]
            *tight, ample = [float(np.mean([f1 for f1, _ in cell])) for cell in cells[:-1]]
            figures["validation_tight_f1"] = float(np.mean(tight))
            figures["validation_ample_f1"] = ample
            figures["validation_feasible"] = sum(kept for _, kept in cells[-1]) / count
        score = sum(figures.values())
        if score > state.best_score or not count:
            state.best = {name: value.detach().clone() for name, value in learner.actors.state_dict().items()}
            state.best_score, state.best_iteration, state.validation = score, learner.iteration, figures
        return figures


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


def write_state(folder: Path, scorer: RelationScorer, learner: Learner, state: RunState, *, owner: str) -> None:
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


def has_state(folder: Path) -> bool:
    """True where a run left its state here."""
    return (folder / "state.json").is_file()


def read_state(folder: Path, scorer: RelationScorer, learner: Learner, *, owner: str) -> RunState:
    """Put everything back.

    Raises:
        ConflictError: the run had another recipe, other data or another number of workers.
        BadInputError: the files are damaged.
    """
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.torch import load_file  # noqa: PLC0415

    try:
        about: dict[str, Any] = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        if about["owner"] != owner:
            raise ConflictError(
                f"the run in {folder} has another recipe, other data or another number of workers",
                remedy="choose another --out, or no --resume",
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
