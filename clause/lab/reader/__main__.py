"""The reader's workshop at the command line: prepare, train, distil, ship, calibrate (docs/benchmarks-reader.md)."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import torch

from clause.cli.console import opened
from clause.lab.reader.arguments import read_arguments
from clause.lab.reader.close import CloseLists, CloseRecipe, statement_pairs, train_close
from clause.lab.reader.distillation import DistilRecipe, distil, unpack_onnx
from clause.lab.reader.exams import fan_world, quick
from clause.lab.reader.lessons import notebooks
from clause.lab.reader.material import NOTEBOOKS, left_out_label, load, prepare
from clause.lab.reader.sources import Path_, wiki_world
from clause.lab.reader.training import (
    ReaderRecipe,
    averaged,
    begun,
    blended,
    examine,
    export_layers,
    restored,
    told,
    train,
    untrained,
)
from clause.lab.worlds import Lessons, NotedReadings, fitted_weights, lessons_of, moved_weights
from clause.policy.serve.pattern_scorer import SHIPPED
from clause.policy.train.encoder import Matcher, TokenEncoder, TrainedReader, packaged_encoder
from clause.text.statements.pair_classifier import PairReader, read_weights


def main(arguments: list[str] | None = None) -> None:
    """Run one command; `--help` tells them."""
    given = read_arguments(arguments)
    torch.set_num_threads(given.threads)
    done_by = {
        "prepare": lambda given: prepare(given.data, given.folder, packaged_encoder()),
        "wiki": lambda given: wiki_world(given.data / "2wikimultihopqa", given.folder / "wiki"),
        "fans": _fans,
        "train": _train,
        "distil": _distil,
        "unpack": lambda given: unpack_onnx(given.model, given.to),
        "close": _close,
        "examine": _examine,
        "ship": _ship,
        "export": lambda given: export_layers(packaged_encoder(), given.to),
        "calibrate": _calibrate,
    }
    done_by[given.command](given)


def _fans(given: argparse.Namespace) -> None:
    def wanted(path: Path_) -> bool:
        left_out = [left_out_label(label) for label, _ in path]
        return not any(left_out) if given.trained else any(left_out)

    fan_world(given.data / "kgqa_paths", given.folder / given.name, wanted, given.each, given.seed)


def _train(given: argparse.Namespace) -> None:
    different: dict[str, Any] = json.loads(given.recipe)
    if unknown := set(different) - {field.name for field in fields(ReaderRecipe)}:
        raise SystemExit(f"a recipe has no {', '.join(sorted(unknown))}")
    recipe, material = ReaderRecipe(**different), load(given.folder)
    folder = given.folder / given.name
    folder.mkdir(parents=True, exist_ok=True)
    encoder, matcher = begun(recipe), None
    if given.on:
        encoder, matcher, _ = _state(given.folder, given.on)
    with (folder / "log.txt").open("a", encoding="utf-8", buffering=1) as log:
        lessons, exam = material.lessons(recipe.seed + 100, recipe.shares), quick(material.exam)
        report = partial(_say, others=(log,))
        train(encoder, lessons, exam, recipe, folder=folder, matcher=matcher, report=report)


def _distil(given: argparse.Namespace) -> None:
    recipe, shipped = DistilRecipe(**json.loads(given.recipe)), TrainedReader.load(SHIPPED)
    lessons = load(given.folder).lessons(recipe.seed + 100, recipe.shares)
    teachers = [_state(given.folder, name) for name in given.names]
    distil(shipped.parts(), [one[:2] for one in teachers], lessons, recipe, report=_say)
    told_of = {**asdict(recipe), "of": [one[2] for one in teachers]}
    about = {**shipped.about, "distilled": [*shipped.about.get("distilled", ()), told_of]}
    TrainedReader(*shipped.parts(), about).save(given.to, ("layers.",))


def _close(given: argparse.Namespace) -> None:
    recipe, material = CloseRecipe(**json.loads(given.recipe)), load(given.folder)
    lessons = material.lessons(recipe.seed + 100, recipe.shares)
    lists = CloseLists(lessons, notebooks(NOTEBOOKS), TrainedReader.load(SHIPPED).parts(), recipe)
    start = read_weights(given.on)
    layers, out = train_close(lists, asyncio.run(statement_pairs(recipe.seed)), start, recipe, report=_say)
    PairReader.save(given.to, layers, out, {**start.about, "close": [*start.about.get("close", ()), asdict(recipe)]})


def _examine(given: argparse.Namespace) -> None:
    exam = {name: items for name, items in load(given.folder).exam.items() if name.startswith(given.only)}
    encoder, matcher = packaged_encoder(), untrained()
    if given.names:
        encoder, matcher, _ = _restored(given)
    _say(told(examine(encoder, matcher, quick(exam) if given.quick else exam)))


def _ship(given: argparse.Namespace) -> None:
    encoder, matcher, recipes = _restored(given)
    tuned = tuple(f"layers.{number}." for number in range(min(recipe["frozen"] for recipe in recipes), 6))
    TrainedReader(encoder, matcher, {"recipes": recipes, "kept": given.keep}).save(given.to, tuned)


def _calibrate(given: argparse.Namespace) -> None:
    async def noted() -> list[Lessons]:
        policy = NotedReadings()
        async with opened(sample=False, policies={policy.name: lambda: policy}) as container:
            return await lessons_of(container, policy, given.worlds, move=given.move, own=given.own)

    graphs = asyncio.run(noted())
    given.folder.mkdir(parents=True, exist_ok=True)
    (given.folder / "signs.json").write_text(json.dumps(graphs), encoding="utf-8")
    bias, weights = (moved_weights if given.move else fitted_weights)(graphs)
    _say(f"{sum(map(len, graphs))} readings of {len(graphs)} graphs: bias {bias:.2f}, {weights}")


def _restored(given: argparse.Namespace) -> tuple[TokenEncoder, Matcher, list[dict[str, Any]]]:
    encoders, matchers, recipes = zip(*(_state(given.folder, name) for name in given.names), strict=True)
    averaged(encoders)
    averaged(matchers)
    if given.keep < 1:
        blended(encoders[0], packaged_encoder(), given.keep)
    return encoders[0], matchers[0], [recipe for own in recipes for recipe in own]


def _state(folder: Path, name: str) -> tuple[TokenEncoder, Matcher, list[dict[str, Any]]]:
    """A trained encoder, its matcher and how both were trained; `shipped` is what the package has."""
    if name == "shipped":
        reader = TrainedReader.load(SHIPPED)
        return (*reader.parts(), reader.about["recipes"])
    encoder, matcher, recipe = restored(folder / name / "state.pt")
    return encoder, matcher, [recipe]


def _say(line: str, others: Sequence[TextIO] = ()) -> None:
    for stream in (sys.stdout, *others):
        stream.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
