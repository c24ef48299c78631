"""`clause evaluate pairs`, and what belongs to it: making pair files, and training the pair classifier."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout
from clause.cli.measuring import given_command
from clause.evaluation.judging import Judge

SetFiles = Annotated[list[Path], typer.Argument(help="The set's files, plain or .gz.")]


def pairs(
    *,
    pairs: Annotated[Path, typer.Option(help='Lines {"a", "b", "label"}: duplicate, contradiction or neutral.')],
    by: Annotated[
        Judge, typer.Option(help="Guards and classifier, rules alone, or cosine > .90 alone.")
    ] = Judge.GUARDS,
    same_subject: Annotated[
        bool, typer.Option("--same-subject", help="Both statements of a pair speak of the same thing, as in NLI.")
    ] = False,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Also the 95 % bootstrap intervals of precision and recall.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """How well statements are merged and contradictions found, against labelled pairs; asks no database."""
    from clause.evaluation.pair_sets import read_pairs
    from clause.evaluation.pairs import decider, evaluate_pairs

    decide = decider(by, same_subject=same_subject)
    show(asyncio.run(evaluate_pairs(read_pairs(pairs), _embedder(), decide, intervals=intervals)), as_json)


def make_pairs(
    *,
    name: Annotated[str, typer.Argument(help="sick, stsb, breaking-nli, counterfactual-nli, fever-symmetric.")],
    files: SetFiles,
    out: Annotated[Path, typer.Option(help="The file of JSON lines to write.")],
    as_json: JsonFlag = False,
) -> None:
    """Make a file of labelled pairs from a published set."""
    from collections import Counter

    from clause.evaluation.pair_sets import published_pairs, write_pairs

    found = published_pairs(name, files)
    write_pairs(out, found)
    show({"set": name, "n": len(found), **Counter(pair.label for pair in found), "out": str(out)}, as_json)


def train_pairs(
    *,
    counterfactual: Annotated[list[Path], typer.Option(help="Counterfactual NLI's train files, each with the option.")],
    fever: Annotated[list[Path] | None, typer.Option(help="FEVER-symmetric's files, each with the option.")] = None,
    sentences: Annotated[int, typer.Option(min=10, help="Sentences that are changed into made pairs.")] = 7000,
    seed: Annotated[int, typer.Option(help="Of the draw, the changes and the training.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Where to write; the shipped one by default.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Train the pair classifier, from sets that may train shipped weights and from pairs made of their sentences."""
    from clause.evaluation.pair_sets import published_pairs
    from clause.evaluation.pair_training import train_pair_classifier
    from clause.text.pairs import SHIPPED

    published = published_pairs("counterfactual-nli", counterfactual)
    published += published_pairs("fever-symmetric", fever or [])
    model = asyncio.run(train_pair_classifier(published, _embedder(), sentences=sentences, seed=seed))
    model.save(out or SHIPPED)
    show({**model.about, "out": str(out or SHIPPED), "command": given_command()}, as_json)


def show(result: dict[str, Any], as_json: bool) -> None:
    """The figures as one JSON object, or one line for each."""
    if as_json:
        print_json(result)
        return
    for key, value in result.items():
        stdout().print(f"{key}: {value}", markup=False)


def _embedder() -> Any:
    """The packaged embedding model: the classifier is trained on its vectors, whatever the settings name."""
    from clause.text.embedder import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder()
