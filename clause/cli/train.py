"""`clause train`: train the three agents on questions with answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, note, print_json, stderr, stdout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clause.evaluation.questions import Question
    from clause.policy.lessons import Answered
    from clause.policy.recipe import Recipe
    from clause.policy.trainer import Material
    from clause.reasoning.snapshot import Snapshot

app = typer.Typer(help="Train the three agents on questions with answers.", no_args_is_help=True)

Config = Annotated[Path | None, typer.Option(help="A recipe in TOML; the published one by default.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on where a killed run stopped, to the same end.")]
Out = Annotated[Path, typer.Option(help="Folder of the run: state, TensorBoard logs and the checkpoint `policy`.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Of every random draw; the recipe's by default.")]

SHOWN = (
    ("supported EM", "masked_em"),
    ("supported F1", "masked_f1"),
    ("F1 without masks", "unmasked_f1"),
    ("edges / limit", "unmasked_edges"),
    ("steps / limit", "unmasked_steps"),
    ("tokens / limit", "unmasked_tokens"),
    ("over any limit", "unmasked_chance"),
    ("multiplier, edges", "multiplier_edges"),
    ("multiplier, steps", "multiplier_steps"),
    ("multiplier, tokens", "multiplier_tokens"),
    ("multiplier, chance", "multiplier_chance"),
    ("validation, tight", "validation_tight_f1"),
    ("validation, ample", "validation_ample_f1"),
    ("validation, feasible", "validation_feasible"),
    ("episodes a second", "episodes_per_s"),
)


@app.command()
def metaqa(
    *,
    questions: Annotated[list[str], typer.Option(metavar="HOP=FILE...", help="Question files: 1=FILE 2=FILE 3=FILE.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="HOP=FILE", hidden=True)] = None,
    out: Out = Path("trained-metaqa"),
    config: Config = None,
    resume: Resume = False,
    seed: Seed = None,
    as_json: JsonFlag = False,
) -> None:
    """Train on MetaQA's questions and the packaged sample of its graph; no server is needed."""
    from clause.evaluation.metaqa import question_files, read_questions

    recipe = _recipe(config, seed)
    files = question_files([*questions, *(more or [])])
    drawn = [_draw(read_questions(path), recipe) for _, path in sorted(files.items())]
    snapshot, embedder = _sample()
    asked = [question for part in drawn for question in part]
    _train(recipe, _material(snapshot, embedder, bracketed(snapshot, asked)), out, resume=resume, as_json=as_json)


@app.command()
def own(
    file: Annotated[Path, typer.Argument(help='JSON lines: {"question": TEXT, "answers": [NAME, ...]}.')],
    *,
    scope: Annotated[list[str], typer.Option(help="Scopes of the graph that holds the answers; repeatable.")],
    out: Out = Path("trained-own"),
    config: Config = None,
    resume: Resume = False,
    seed: Seed = None,
    as_json: JsonFlag = False,
) -> None:
    """Train on your own questions and answers, on your own graph."""
    from clause.evaluation.questions import read_json_lines
    from clause.text.embedder import SentenceTransformerEmbedder

    recipe = _recipe(config, seed)
    asked = _draw(read_json_lines(file), recipe)
    snapshot, answered, model = asyncio.run(_explored(asked, scope))
    material = _material(snapshot, SentenceTransformerEmbedder(model), answered)
    _train(recipe, material, out, resume=resume, as_json=as_json)


def bracketed(snapshot: Snapshot, questions: Iterable[Question]) -> list[Answered]:
    """The questions whose topic entity is named in the file and is a node of the graph."""
    ids = _ids_by_name(snapshot)
    found = []
    for question in questions:
        if question.entity is not None and question.entity in ids:
            start = question.text.find(question.entity)
            span = (start, start + len(question.entity)) if start >= 0 else None
            found.append(_answered(question, ids[question.entity], span, ids))
    return found


async def _explored(questions: Sequence[Question], scopes: Sequence[str]) -> tuple[Snapshot, list[Answered], str]:
    """A snapshot of the scopes, the questions with the first seed entity of each, and the embedder's name."""
    from clause.cli.measuring import opened
    from clause.evaluation.exporting import export_snapshot
    from clause.reasoning.neighbourhood import View
    from clause.reasoning.neo4j_neighbourhood import Neo4jNeighbourhood

    view = View(tuple(scopes))
    async with opened(sample=False) as container:
        dimension = container.embedder.dimension
        port = Neo4jNeighbourhood(container.graph, dimension=dimension)
        snapshot = await export_snapshot(container.graph, port, view, dimension=dimension)
        ids = _ids_by_name(snapshot)
        found = []
        for question in questions:
            seeds = await container.seeds.find(question.text, view, limit=1)
            if seeds:
                first = seeds[0]
                span = None if first.start is None or first.end is None else (first.start, first.end)
                found.append(_answered(question, first.id, span, ids))
        return snapshot, found, container.embedder.model


def _ids_by_name(snapshot: Snapshot) -> dict[str, str]:
    return dict(zip(reversed(snapshot.names), reversed(snapshot.ids), strict=True))


def _answered(question: Question, seed: str, span: tuple[int, int] | None, ids: Mapping[str, str]) -> Answered:
    from clause.policy.lessons import Answered

    known = frozenset(ids[name] for name in question.answers if name in ids)
    start, end = span or (None, None)
    return Answered(question.text, seed, start, end, known, len(question.answers) - len(known))


def _draw(questions: list[Question], recipe: Recipe) -> list[Question]:
    import numpy as np

    count = recipe.cloning.questions_per_file
    order = np.random.default_rng(recipe.seed).permutation(len(questions))[:count]
    return [questions[place] for place in order.tolist()]


def _sample() -> tuple[Snapshot, Any]:
    from clause.evaluation.questions import open_text
    from clause.reasoning.snapshot import Snapshot
    from clause.sample.files import KB
    from clause.text.embedder import SentenceTransformerEmbedder

    with open_text(KB) as lines:
        triples = [tuple(line.rstrip("\r\n").split("|")) for line in lines if line.count("|") == 2]
    names = {end: end for head, _, tail in triples for end in (head, tail)}
    return Snapshot.build(names, [(head, kind, tail) for head, kind, tail in triples]), SentenceTransformerEmbedder()


def _material(snapshot: Snapshot, embedder: Any, answered: list[Answered]) -> Material:
    from dataclasses import replace

    from clause.policy.lessons import plain_types
    from clause.policy.trainer import Material

    types = {name: kind for name, kind in snapshot.types.items() if kind.embedding.any()}
    lacking = [relation for relation in snapshot.relations if relation not in types]
    types |= plain_types(lacking, embedder) if lacking else {}
    return Material(replace(snapshot, types=types), answered, embedder)


def _recipe(config: Path | None, seed: int | None) -> Recipe:
    from clause.policy.recipe import PUBLISHED, Recipe

    changes: dict[str, object] = {} if seed is None else {"seed": seed}
    return Recipe.read(config or PUBLISHED, **changes)


def _train(recipe: Recipe, material: Material, out: Path, *, resume: bool, as_json: bool) -> None:
    from clause.policy.board import Board
    from clause.policy.checkpoint import save
    from clause.policy.trainer import Training

    note(f"{len(material.questions):,} questions on {len(material.snapshot.ids):,} nodes; the run is in {out}")
    with Board(out) as board, _shown(board.write) as report:
        trained = Training(recipe, material, out, report).run(resume=resume, name=out.name, git_revision=_revision())
    save(trained, out / "policy")
    result = {"checkpoint": str(out / "policy"), "metrics": dict(trained.about.metrics)}
    print_json(result) if as_json else stdout().print(result, markup=False)


@contextmanager
def _shown(write: Callable[[str, int, Mapping[str, float]], None]) -> Iterator[Callable[..., None]]:
    """A live table on stderr, and TensorBoard beside it."""
    import time

    from rich.live import Live
    from rich.table import Table

    latest: dict[str, float] = {}
    last = time.perf_counter()

    def table(phase: str, done: int, total: int) -> Table:
        made = Table(title=f"{phase} {done:,} of {total:,}", show_header=False)
        for label, name in (*SHOWN, ("loss", "loss")):
            if name in latest:
                made.add_row(label, f"{latest[name]:.3f}")
        return made

    with Live(console=stderr(), transient=False) as live:

        def report(phase: str, done: int, total: int, figures: Mapping[str, float]) -> None:
            nonlocal last
            now = time.perf_counter()
            episodes = figures.get("episodes")
            speed = {"episodes_per_s": episodes / max(1e-9, now - last)} if episodes else {}
            last = now
            latest.update({**figures, **speed})
            write(phase, done, {**figures, **speed})
            live.update(table(phase, done, total))

        yield report


def _revision() -> str:
    """The revision of the checkout that trains; empty in a wheel."""
    import shutil
    import subprocess

    git = shutil.which("git")
    if git is None:
        return ""
    command = [git, "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 -- no input of a user's
    return found.stdout.strip() if found.returncode == 0 else ""
