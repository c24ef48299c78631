"""The reader's workshop at the command line: prepare, train, examine, ship, calibrate (docs/benchmarks-reader.md)."""

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
from clause.lab.pairs import statement_pairs
from clause.lab.reader.close import CloseLists, CloseRecipe, train_close
from clause.lab.reader.exams import fan_world, quick
from clause.lab.reader.lessons import notebooks
from clause.lab.reader.material import NOTEBOOKS, left_out_label, load, prepare
from clause.lab.reader.sources import Path_, wiki_world
from clause.lab.reader.training import (
    ReaderRecipe,
    averaged,
    begun,
    examine,
    export_layers,
    restored,
    told,
    train,
    unpack_onnx,
    untrained,
)
from clause.lab.worlds import Lessons, NotedReadings, fitted_weights, lessons_of, moved_weights
from clause.policy.serve.pattern_scorer import SHIPPED
from clause.policy.train.encoder import Matcher, TokenEncoder, TrainedReader, packaged_encoder
from clause.text.bert import GRAPH
from clause.text.statements.pair_classifier import SHIPPED_READER, PairReader, read_weights


def main(arguments: list[str] | None = None) -> None:
    """Run one command; `--help` tells them."""
    parser = argparse.ArgumentParser(prog="python -m clause.lab.reader", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("var/reader"), help="what is prepared and trained")
    parser.add_argument("--threads", type=int, default=1)
    commands = parser.add_subparsers(required=True, dest="command")
    made = commands.add_parser("wiki", help="2WikiMultihopQA's evidence as a graph of one's own, with its questions")
    fanned = commands.add_parser("fans", help="a made-up graph under real questions over relations left out")
    for one in (commands.add_parser("prepare"), made, fanned):
        one.add_argument("data", type=Path, help="the folder of the shared data")
    fanned.add_argument("--trained", action="store_true", help="over relations that are in training, instead")
    fanned.add_argument("--each", type=int, default=40, help="questions of each number of hops")
    fanned.add_argument("--seed", type=int, default=16)
    fanned.add_argument("--name", default="fans", help="its folder")
    training = commands.add_parser("train")
    training.add_argument("name")
    training.add_argument("recipe", nargs="?", default="{}", help="JSON of what differs from the usual recipe")
    training.add_argument("--on", metavar="NAME", help="train on from this state, or from `shipped`")
    unpacking = commands.add_parser("unpack", help="a BERT that a package carries as ONNX, as a base to train")
    unpacking.add_argument("files", nargs=3, type=Path, metavar=("MODEL", "TOKENIZER", "FOLDER"))
    close = commands.add_parser("close", help="train the reader of pairs on, for statements and what answers")
    close.add_argument("recipe", nargs="?", default="{}", help="JSON of what differs from the usual recipe")
    close.add_argument("--on", type=Path, default=SHIPPED_READER, help="the reader it begins from")
    examining = commands.add_parser("examine")
    examining.add_argument("names", nargs="*", help="trained states (or `shipped`), averaged; none: the frozen cosine")
    examining.add_argument("--quick", action="store_true", help="thirty questions a set, as while training")
    examining.add_argument("--only", default="", help="sets whose names begin so")
    shipping = commands.add_parser("ship")
    shipping.add_argument("names", nargs="+", help="trained states, averaged")
    exporting = commands.add_parser("export", help="the encoder's layers as the graph that is served, without weights")
    for one, usual in ((close, SHIPPED_READER), (shipping, SHIPPED), (exporting, GRAPH)):
        one.add_argument("--to", type=Path, default=usual)
    calibrating = commands.add_parser("calibrate", help="fit how readings are judged, through the served pipeline")
    calibrating.add_argument("--worlds", type=Path, default=Path("tests/worlds"))
    calibrating.add_argument("--move", action="store_true", help="what ships, by the strangers' halves that are read")
    calibrating.add_argument("--own", nargs=2, action="append", default=[], metavar=("FILE", "SCOPE"))
    given = parser.parse_args(arguments)
    torch.set_num_threads(given.threads)
    done_by = {
        "prepare": lambda given: prepare(given.data, given.folder, packaged_encoder()),
        "wiki": lambda given: wiki_world(given.data / "2wikimultihopqa", given.folder / "wiki"),
        "fans": _fans,
        "train": _train,
        "unpack": lambda given: unpack_onnx(*given.files),
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
        others = [_state(given.folder, name)[:2] for name in recipe.of]
        train(encoder, lessons, exam, recipe, folder=folder, matcher=matcher, others=others, report=report)


def _close(given: argparse.Namespace) -> None:
    recipe, start = CloseRecipe(**json.loads(given.recipe)), read_weights(given.on)
    lessons = load(given.folder).lessons(recipe.seed + 100, recipe.shares)
    lists = CloseLists(lessons, notebooks(NOTEBOOKS), TrainedReader.load(SHIPPED).parts(), recipe)
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
    packaged = packaged_encoder().state_dict()
    tuned = [name for name, value in encoder.state_dict().items() if not torch.equal(value, packaged[name])]
    TrainedReader(encoder, matcher, {"recipes": recipes}).save(given.to, tuned)


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
