"""`clause train`: train the three agents on questions with answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, Ray, note, print_json, stderr, stdout
from clause.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clause.evaluation.question_files import GoldQuestion
    from clause.policy.config import Recipe
    from clause.policy.train.lessons import AnsweredQuestion, PosedQuestion
    from clause.policy.train.trainer import TrainingMaterial
    from clause.reasoning.agents.policy import Question
    from clause.reasoning.neighbourhood.snapshot import Snapshot

app = typer.Typer(help="Train the three agents on questions with answers.", no_args_is_help=True)

Config = Annotated[Path | None, typer.Option(help="A recipe in TOML; the published one by default.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on where a killed run stopped, to the same end.")]
Out = Annotated[Path, typer.Option(help="Folder of the run: state, TensorBoard logs and the checkpoint `policy`.")]
Workers = Annotated[
    int, typer.Option(min=1, max=256, help="Processes that play the episodes; another number draws other ones.")
]
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
    ("questions that teach", "usable"),
    ("loss left out, shipped", "shipped_loss"),
    ("loss left out, taught", "taught_loss"),
    ("right left out, shipped", "shipped_right"),
    ("right left out, taught", "right"),
)


@app.command()
def metaqa(
    *,
    questions: Annotated[list[str], typer.Option(metavar="HOP=FILE...", help="Question files: 1=FILE 2=FILE 3=FILE.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="HOP=FILE", hidden=True)] = None,
    graph: Annotated[
        list[str] | None,
        typer.Option(metavar="TRIPLES=QUESTIONS", help="A further graph, and JSON lines with `entity`; repeatable."),
    ] = None,
    out: Out = Path("trained-metaqa"),
    config: Config = None,
    resume: Resume = False,
    seed: Seed = None,
    workers: Workers = 1,
    ray: Ray = None,
    as_json: JsonFlag = False,
) -> None:
    """Train on MetaQA's questions and the packaged sample of its graph; no server is needed."""
    from clause.evaluation import training_material as material
    from clause.evaluation.question_files import question_files, read_questions

    recipe = _recipe(config, seed)
    sets = [read_questions(path) for path in question_files([*questions, *(more or [])]).values()]
    made = material.drawn_for(*material.packaged(), sets, recipe, _graphs(graph or ()))
    _train(recipe, made, out, resume=resume, workers=workers, ray=ray, as_json=as_json)


@app.command()
def own(
    file: Annotated[
        Path, typer.Argument(help='JSON lines: {"question": TEXT, "answers": [NAME, ...]}; 20 to 100,000.')
    ],
    *,
    scope: Annotated[list[str], typer.Option(help="Scopes of the graph that holds the answers; repeatable.")],
    out: Out = Path("trained-own"),
    agents: Annotated[
        bool, typer.Option("--agents", help="Train three agents anew; takes thousands of questions.")
    ] = False,
    config: Config = None,
    resume: Resume = False,
    seed: Seed = None,
    workers: Workers = 1,
    ray: Ray = None,
    as_json: JsonFlag = False,
) -> None:
    """Teach the shipped reader your own words, on your own graph; a quarter of the questions is kept for the gate."""
    from clause.evaluation.question_files import read_json_lines

    questions = read_json_lines(file)
    if not (agents or config):
        if workers > 1 or ray:
            raise BadInputError("--workers play episodes, and only --agents has any", field="workers")
        metrics = asyncio.run(_taught(questions, scope, out, resume=resume, seed=seed or 0))
        result = {"checkpoint": str(out / "policy"), "metrics": metrics}
        print_json(result) if as_json else stdout().print(result, markup=False)
        return
    from clause.evaluation.training_material import draw, with_types
    from clause.policy.train.own import set_aside
    from clause.text.embedder import SentenceTransformerEmbedder

    recipe = _recipe(config, seed)
    teaching, aside = set_aside(questions, recipe.seed)
    snapshot, answered, model = asyncio.run(_explored(draw(teaching, recipe), scope))
    made = with_types(snapshot, SentenceTransformerEmbedder(model), answered)
    _train(recipe, made, out, resume=resume, workers=workers, ray=ray, as_json=as_json, aside=aside)


async def _taught(
    questions: Sequence[GoldQuestion], scopes: Sequence[str], out: Path, *, resume: bool, seed: int
) -> dict[str, Any]:
    """The metrics of a reader that was taught on a snapshot of the scopes."""
    from clause.cli.console import on_snapshot, opened
    from clause.policy.train.lessons import fingerprint
    from clause.policy.train.own import OwnRun
    from clause.policy.train.trainer import TensorBoardLog
    from clause.reasoning.episode.budget import Prices
    from clause.reasoning.neighbourhood.port import View

    async with opened(sample=False) as container:
        asker, _, snapshot = await on_snapshot(container, scopes, container.embedder)
        view = View(tuple(scopes))

        async def ask(gold: PosedQuestion) -> Question:
            return (await asker.ask(gold.text, Prices(), view)).question

        note(f"{len(questions):,} questions on {', '.join(scopes)}; the run is in {out}")
        embedder = (container.embedder.model, container.embedder.dimension)
        about = {"name": out.name, "scopes": list(scopes), "git_revision": _revision()}
        with TensorBoardLog(out) as board, _shown(board.write) as report:
            run = OwnRun(out, embedder, report, seed=seed, resume=resume, about=about)
            return await run.train(questions, ask, f"{','.join(scopes)} {fingerprint(snapshot, ())}")


@app.command()
def gain(
    *,
    questions: Annotated[list[str], typer.Option(metavar="HOP=FILE...", help="Question files: 1=FILE 2=FILE 3=FILE.")],
    more: Annotated[list[str] | None, typer.Argument(metavar="HOP=FILE", hidden=True)] = None,
    checkpoint: Annotated[Path, typer.Option(help="The checkpoint, without its ending; it is written again.")],
    seed: Annotated[int, typer.Option(min=0, help="Of the questions and limits that are drawn.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Fit the critic's head for relevance (what curiosity expects of a hop) to a checkpoint that was trained before."""
    from clause.evaluation import training_material as material
    from clause.evaluation.question_files import question_files, read_questions
    from clause.policy.train.demonstrations import with_gain
    from clause.policy.train.networks import load, save
    from clause.policy.train.warm_start import VectorTable

    snapshot, embedder = material.packaged()
    sets = [read_questions(path) for path in question_files([*questions, *(more or [])]).values()]
    made = material.drawn_for(snapshot, embedder, sets, _recipe(None, seed))
    found = with_gain(
        load(checkpoint, embedder=embedder.model), made.snapshot, made.questions, VectorTable(embedder), seed=seed
    )
    save(found, checkpoint)
    result = {"checkpoint": str(checkpoint), "fitted": found.gain is not None}
    print_json(result) if as_json else stdout().print(result, markup=False)


async def _explored(
    questions: Sequence[GoldQuestion], scopes: Sequence[str]
) -> tuple[Snapshot, list[AnsweredQuestion], str]:
    """A snapshot of the scopes, the questions with the first seed entity of each, and the embedder's name."""
    from clause.cli.console import opened
    from clause.evaluation.training_material import ScopeReader

    async with opened(sample=False) as container:
        explorer = ScopeReader(container.graph, container.seeds, container.embedder)
        snapshot = await explorer.snapshot(scopes)
        return snapshot, await explorer.tied(snapshot, questions, scopes), container.embedder.model


def _graphs(values: Sequence[str]) -> list[tuple[Snapshot, list[GoldQuestion]]]:
    """The graphs of `TRIPLES=QUESTIONS` words with their questions; their nodes have ids of their own.

    Raises:
        BadInputError: a word is not of that form.
    """
    from clause.evaluation.question_files import read_questions
    from clause.evaluation.training_material import read_triples

    found = []
    for place, value in enumerate(values, start=1):
        triples, equals, questions = value.partition("=")
        if not (triples and equals and questions):
            raise BadInputError(f"--graph {value!r}: not TRIPLES=QUESTIONS", field="graph")
        found.append((read_triples(Path(triples), f"{place}:"), read_questions(Path(questions))))
    return found


def _recipe(config: Path | None, seed: int | None) -> Recipe:
    from clause.policy.config import PUBLISHED, Recipe

    changes: dict[str, object] = {} if seed is None else {"seed": seed}
    return Recipe.read(config or PUBLISHED, **changes)


def _train(
    recipe: Recipe,
    material: TrainingMaterial,
    out: Path,
    *,
    resume: bool,
    workers: int,
    ray: str | None,
    as_json: bool,
    aside: Sequence[GoldQuestion] = (),
) -> None:
    from dataclasses import replace

    from clause.policy.train.networks import save
    from clause.policy.train.own import for_the_gate
    from clause.policy.train.trainer import TensorBoardLog, Training
    from clause.workers import RayPool

    if ray and workers == 1:
        raise BadInputError(
            "one worker plays here", remedy="say how many shares Ray plays: --workers 8", field="workers"
        )
    note(f"{len(material.questions):,} questions on {len(material.snapshot.ids):,} nodes; the run is in {out}")
    with RayPool.at(ray) as cluster, TensorBoardLog(out) as board, _shown(board.write) as report:
        training = Training(recipe, material, out, report, workers=workers, cluster=cluster)
        trained = training.run(resume=resume, name=out.name, git_revision=_revision())
    save(replace(trained, about=replace(trained.about, kept_aside=for_the_gate(aside))), out / "policy")
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
