"""`clause evaluate ablations`, `generalisation`, `adaptation`, `trial`: what training is worth, how far it carries."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clause.cli.console import JsonFlag, note, print_json, stdout
from clause.errors import BadInputError
from clause.lab.commands.measuring import MoreQuestions, given_command, question_sets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clause.evaluation.question_files import GoldQuestion
    from clause.lab.training.generalisation import Bench
    from clause.lab.training.table import Study
    from clause.lab.training.trial import Player

TrainFiles = Annotated[list[str], typer.Option(metavar="HOP=FILE", help="Questions to train on; repeatable.")]
DevFiles = Annotated[list[str], typer.Option(metavar="HOP=FILE", help="Questions to measure on; repeatable.")]
Sample = Annotated[int, typer.Option(min=1, help="So many questions of each file to measure on, drawn by seed 0.")]
CheckpointPath = Annotated[Path | None, typer.Option(help="Without its ending; the shipped one by default.")]
Config = Annotated[Path | None, typer.Option(help="A recipe in TOML; the shortened one by default.")]


def ablations(
    *,
    train: TrainFiles,
    questions: DevFiles,
    more: MoreQuestions = None,
    row: Annotated[list[str] | None, typer.Option(help="A row by name; repeatable.  [default: all]")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=20, help="Trainings of each row, of seeds 0, 1, ...")] = 3,
    sample: Sample = 100,
    out: Annotated[Path, typer.Option(help="Folder of the table's state: a row is done once.")] = Path("ablations"),
    config: Config = None,
    as_json: JsonFlag = False,
) -> None:
    """Train every ablation with every seed on the packaged graph and compare; killed, it goes on where it stopped."""
    from clause.lab.report import table_text
    from clause.lab.training.table import REFERENCE, ROWS, compared
    from clause.lab.training.trial import over_time

    names = row or list(ROWS)
    for name in names:
        if name not in ROWS:
            raise BadInputError(f"--row {name!r}: there is none of that name", remedy=", ".join(ROWS), field="row")
    study, numbers = _study([*train], [*questions, *(more or [])], sample, out, config), list(range(seeds))
    study.run(names, numbers, lambda message, done, total: note(f"{done} of {total}: {message}"))
    results = study.results(names, numbers)
    result = {
        "dataset": "metaqa",
        "n": len(study.asked),
        "seeds": numbers,
        "rows": compared(results),
        "multipliers": over_time(results[REFERENCE]),
        "prices": {name: [one["prices"] for one in found] for name, found in results.items()},
        "command": given_command(),
    }
    print_json(result) if as_json else stdout().print(table_text(result), markup=False)


def generalisation(
    *,
    train: TrainFiles,
    questions: DevFiles,
    more: MoreQuestions = None,
    seeds: Annotated[int, typer.Option(min=1, max=20, help="Trainings of each reader, of seeds 0, 1, ...")] = 3,
    sample: Sample = 100,
    checkpoint: CheckpointPath = None,
    config: Config = None,
    as_json: JsonFlag = False,
) -> None:
    """Held-out wordings, renamed types, types left out of training, and longer questions than in training."""
    from clause.lab.report import generalisation_text
    from clause.lab.training import generalisation as studies

    bench, numbers = _bench(train, [*questions, *(more or [])], checkpoint, config), list(range(seeds))
    result = {
        "dataset": "metaqa",
        "per_hop": sample,
        "seeds": numbers,
        "held_out_wordings": studies.wordings(bench, numbers, sample, note),
        "renamed_types": studies.names(bench, sample, note),
        "left_out_types": studies.left_out(bench, numbers[:1], sample, note),
        "longer_questions": studies.lengths(bench, numbers, sample, note),
        "command": given_command(),
    }
    print_json(result) if as_json else stdout().print(generalisation_text(result), markup=False)


def adaptation(
    *,
    questions: DevFiles,
    more: MoreQuestions = None,
    sample: Sample = 100,
    checkpoint: CheckpointPath = None,
    as_json: JsonFlag = False,
) -> None:
    """Limits that change in mid-episode: agents that are told beside agents that go on seeing the old ones."""
    from clause.lab.report import adaptation_text
    from clause.lab.training.trial import changed

    asked = chain.from_iterable(question_sets([*questions, *(more or [])], None, None, sample).values())
    player = _player(asked, checkpoint)
    result = {"dataset": "metaqa", "n": len(player.tasks), "rows": changed(player), "command": given_command()}
    print_json(result) if as_json else stdout().print(adaptation_text(result), markup=False)


def trial(
    *,
    questions: DevFiles,
    more: MoreQuestions = None,
    sample: Sample = 100,
    checkpoint: CheckpointPath = None,
    as_json: JsonFlag = False,
) -> None:
    """A checkpoint without any server, topic entities given: scarce, ample, priced, and without masks."""
    from clause.lab.report import trial_text
    from clause.lab.training.trial import summed_up

    sets = question_sets([*questions, *(more or [])], None, None, sample)
    players = {hop: _player(asked, checkpoint) for hop, asked in sets.items()}
    result = {
        "dataset": "metaqa",
        "hops": {hop: summed_up(player) for hop, player in players.items()},
        "command": given_command(),
    }
    print_json(result) if as_json else stdout().print(trial_text(result), markup=False)


def _player(asked: Iterable[GoldQuestion], checkpoint: Path | None) -> Player:
    from clause.evaluation import training_material as material
    from clause.lab.training.trial import Player
    from clause.policy.train.networks import load
    from clause.policy.train.warm_start import VectorTable

    snapshot, embedder = material.packaged()
    made = material.with_types(snapshot, embedder, material.bracketed(snapshot, asked))
    return Player.of(load(checkpoint) if checkpoint else load(), made.snapshot, made.questions, VectorTable(embedder))


def _bench(train: list[str], questions: list[str], checkpoint: Path | None, config: Path | None) -> Bench:
    from clause.evaluation import training_material as material
    from clause.lab.training.generalisation import Bench
    from clause.lab.training.table import SHORTENED
    from clause.policy.config import Recipe
    from clause.policy.train.lessons import TypedWalks
    from clause.policy.train.networks import load
    from clause.policy.train.warm_start import VectorTable

    made = material.with_types(*material.packaged(), [])
    return Bench(
        made.snapshot,
        made.embedder,
        question_sets(train, None, None),
        question_sets(questions, None, None),
        Recipe.read(config or SHORTENED),
        (load(checkpoint) if checkpoint else load()).scorer,
        VectorTable(made.embedder),
        TypedWalks(made.snapshot),
    )


def _study(train: list[str], questions: list[str], sample: int, out: Path, config: Path | None) -> Study:
    from clause.evaluation import training_material as material
    from clause.lab.training.table import SHORTENED, Study
    from clause.policy.config import Recipe

    pool = list(question_sets(train, None, None).values())
    snapshot, embedder = material.packaged()
    asked = chain.from_iterable(question_sets(questions, None, None, sample).values())
    return Study(
        Recipe.read(config or SHORTENED),
        lambda recipe: material.drawn_for(snapshot, embedder, pool, recipe),
        material.bracketed(snapshot, asked),
        out,
    )
