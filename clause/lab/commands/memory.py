"""`clause evaluate recall`, `clustering`, `pairs`, and the commands that make their files: memories measured."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.arrays import Floats
from clause.cli.console import JsonFlag, counter, print_json, stdout
from clause.errors import BadInputError
from clause.lab.commands.measuring import Limit, given_command
from clause.lab.pairs import Judge

if TYPE_CHECKING:
    from clause.app import Container
    from clause.lab.recall import Evidence
    from clause.memory.room import Memory


class Mode(StrEnum):
    """The ways in which memories are searched."""

    DENSE = "dense"
    SPARSE = "sparse"
    HYBRID = "hybrid"
    COORDINATE = "coordinate"


class Fusion(StrEnum):
    """The ways in which the two searches of a hybrid one become one."""

    RRF = "rrf"
    RSF = "rsf"


def recall(
    *,
    corpus: Annotated[Path, typer.Option(help='Lines {"id", "text", "scope", "timestamp"?}, plain or .gz.')],
    questions: Annotated[Path, typer.Option(help='Lines {"id", "query", "scope", "relevant": [ids]}.')],
    mode: Annotated[Mode, typer.Option(help="Which search.")] = Mode.HYBRID,
    k: Annotated[list[int] | None, typer.Option("-k", min=1, max=100, help="Where recall is cut; 5 and 10.")] = None,
    fusion: Annotated[Fusion | None, typer.Option(help="The service's fusion, if not said.")] = None,
    sparse_weight: Annotated[float | None, typer.Option(min=0, max=1, help="The service's, if not said.")] = None,
    policy: Annotated[
        str | None, typer.Option(help="Who decides, by name; not said, as for a request that names nobody.")
    ] = None,
    limit: Limit = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure what memories recall of all that is relevant, beside plain BM25; in scopes of its own, then removed."""
    from clause.lab.commands.measuring import opened
    from clause.lab.corpora import read_corpus, read_recall_questions
    from clause.lab.recall import recall_study

    texts, asked = read_corpus(corpus), read_recall_questions(questions, limit)

    async def run() -> dict[str, Any]:
        async with opened(sample=False) as container:
            memory = _memory(container, fusion, sparse_weight)
            evidence = _evidence(container, policy)
            ks = sorted(set(k or [5, 10]))
            told = counter("done", 500)
            return await recall_study(
                memory, texts, asked, mode=mode.value, ks=ks, evidence=evidence, command=given_command(), progress=told
            )

    show(asyncio.run(run()), as_json)


def make_recall(
    *,
    locomo: Annotated[Path | None, typer.Option(help="LoCoMo's conversations, plain or .gz.")] = None,
    longmemeval: Annotated[Path | None, typer.Option(help="LongMemEval's evidence turns, plain or .gz.")] = None,
    corpus: Annotated[Path, typer.Option(help="The file of turns to write.")],
    questions: Annotated[Path, typer.Option(help="The file of questions to write.")],
    only: Annotated[list[str] | None, typer.Option(help="A sample id, each with the option; all if not said.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make the files of `clause evaluate recall` of one data set: a turn a line, relevant are the evidence turns."""
    from clause.lab.corpora import make_evidence_files, make_recall_files

    if locomo is not None and longmemeval is None:
        made = make_recall_files(locomo, corpus, questions, tuple(only or ()))
    elif longmemeval is not None and locomo is None and not only:
        made = make_evidence_files(longmemeval, corpus, questions)
    else:
        raise BadInputError("which data set?", remedy="give --locomo (with --only) or --longmemeval", field="locomo")
    show({**made, "corpus": str(corpus), "questions_file": str(questions)}, as_json)


def _memory(container: Container, fusion: Fusion | None, sparse_weight: float | None) -> Memory:
    """The room as the service has it, with room for more clusters, and the fusion that was asked for."""
    from clause.memory.models import MOST_CLUSTERS
    from clause.memory.room import Memory

    room = container.rooms.memory
    changes: dict[str, Any] = {"max_clusters": MOST_CLUSTERS}
    if fusion is not None:
        changes["fusion_method"] = fusion.value
    if sparse_weight is not None:
        changes["sparse_weight"] = sparse_weight
    return Memory.open(room.ground, room.store.config.model_copy(update=changes))


def _evidence(container: Container, policy: str | None) -> Evidence:
    from clause.evaluation.service import read_response
    from clause.lab.commands.measuring import coordinate
    from clause.lab.recall import TOKEN_BUDGET
    from clause.reasoning.episode.budget import Budgets
    from clause.reasoning.models import BudgetAllocation, CoordinationRequest

    ask = coordinate(container.coordinator)
    budgets = Budgets(tokens=TOKEN_BUDGET)

    async def evidence(query: str, scope: str) -> Sequence[str]:
        request = CoordinationRequest(
            query=query,
            budgets=BudgetAllocation(),
            scopes=[scope],
            policy=policy,
            enable_provenance=False,
            record=False,
        )
        return read_response(await ask(request, budgets), budgets, 0.0).evidence

    return evidence


class ReductionName(StrEnum):
    """The reductions of dimensions before HDBSCAN."""

    UMAP = "umap"
    PCA = "pca"
    NONE = "none"


def clustering(
    *,
    texts: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="Lines text<TAB>label, plain or .gz.")],
    compression: Annotated[
        float, typer.Option(min=1, max=1000, help="What the calibrated threshold is looked for.")
    ] = 4.0,
    reduction: Annotated[ReductionName, typer.Option(help="Before HDBSCAN.")] = ReductionName.UMAP,
    seed: Annotated[int, typer.Option(help="Of k-means, and of the draw of queries.")] = 0,
    search: Annotated[bool, typer.Option("--search", help="Also search memories at the calibrated threshold.")] = False,
    queries: Annotated[int, typer.Option(min=1, help="Texts that --search does not store but searches for.")] = 300,
    as_json: JsonFlag = False,
) -> None:
    """Compression, silhouette, prototype cosine, adjusted Rand index, purity and seconds.

    No database is asked but by --search: what prototypes first lose and save against searching every member.
    """
    from clause.lab.clustering import evaluate_clustering, read_texts
    from clause.lab.studies import RememberingEmbedder
    from clause.text.embedder import SentenceTransformerEmbedder
    from clause.values.clustering import Density, unit

    said, labels = read_texts(texts)
    embedder = RememberingEmbedder(SentenceTransformerEmbedder())
    density = Density(reduction=reduction.value)

    async def study() -> dict[str, Any]:
        told = await evaluate_clustering(said, labels, embedder, density=density, compression=compression, seed=seed)
        if search:
            threshold = told["systems"]["ours_calibrated"]["threshold"]
            vectors = unit(await embedder.embed(said))
            told["search"] = await _searched(said, labels, vectors, threshold=threshold, queries=queries, seed=seed)
        return told

    result = asyncio.run(study()) | {"command": given_command()}
    if as_json:
        print_json(result)
        return
    stdout().print(table(result))
    if search:
        stdout().print(search_table(result["search"]))


def make_clusters(
    *,
    name: Annotated[str, typer.Argument(help="banking77 or clinc150.")],
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The set's train file, plain or .gz.")],
    out: Annotated[Path, typer.Option(help="The file of lines text<TAB>label to write.")],
    per_label: Annotated[int, typer.Option(min=1, help="Texts of each label.")] = 40,
    seed: Annotated[int, typer.Option(help="Of the draw and of the order.")] = 0,
    as_json: JsonFlag = False,
) -> None:
    """Draw a sample of a published set for `clause evaluate clustering`."""
    from clause.lab.clustering import sample_published

    drawn = sample_published(name, file, per_label, seed)
    out.write_text("".join(f"{text}\t{label}\n" for text, label in drawn), encoding="utf-8")
    told = {"set": name, "n": len(drawn), "labels": len({label for _, label in drawn}), "out": str(out)}
    print_json(told) if as_json else stdout().print(told)


def table(result: dict[str, Any]) -> Any:
    """The figures, one row for each way to cluster."""
    from rich.table import Table

    columns = (
        "clusters", "noise", "compression", "silhouette", "prototype_cosine", "adjusted_rand", "purity", "seconds",
    )  # fmt: skip
    made = Table(title=f"{result['n']} texts, {result['labels']} labels")
    for name in ("way", *columns):
        made.add_column(name)
    for way, told in result["systems"].items():
        made.add_row(way, *(_shown(told[name]) for name in columns))
    return made


def search_table(result: dict[str, Any]) -> Any:
    """The figures of `--search`, one row for each way."""
    from rich.table import Table

    title = f"{result['memories']} memories in {result['clusters']} clusters, {result['queries']} queries"
    made = Table(title=f"{title}; points lost {result['points_lost']}, p50 x {result['p50_ratio']}")
    for name in ("way", f"recall@{result['k']}", "label", "p50_ms", "p95_ms"):
        made.add_column(name)
    for way, told in result["ways"].items():
        made.add_row(way, *(_shown(told[name]) for name in ("recall", "label", "p50_ms", "p95_ms")))
    return made


async def _searched(said: list[str], labels: list[str], vectors: Floats, **asked: Any) -> dict[str, Any]:
    from clause.lab.clustering import search_study
    from clause.lab.commands.measuring import opened

    async with opened(sample=False) as container:
        return await search_study(container.rooms.memory, said, labels, vectors, **asked)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


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
    """Measure merging of statements and finding of contradictions against labelled pairs; asks no database."""
    from clause.lab.pairs import decider, evaluate_pairs, read_pairs

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

    from clause.lab.pairs import published_pairs, write_pairs

    found = published_pairs(name, files)
    write_pairs(out, found)
    show({"set": name, "n": len(found), **Counter(pair.label for pair in found), "out": str(out)}, as_json)


def train_pairs(
    *,
    counterfactual: Annotated[
        list[Path] | None, typer.Option(help="Counterfactual NLI's train files, each with the option; needed at first.")
    ] = None,
    fever: Annotated[list[Path] | None, typer.Option(help="FEVER-symmetric's files, each with the option.")] = None,
    sentences: Annotated[int, typer.Option(min=10, help="Sentences that are changed into made pairs.")] = 7000,
    seed: Annotated[int, typer.Option(help="Of the draw, the changes and the training.")] = 0,
    beside: Annotated[bool, typer.Option(help="The reader of two statements beside each other, instead.")] = False,
    further: Annotated[bool, typer.Option(help="That reader from what ships on, by later hands.")] = False,
    epochs: Annotated[float, typer.Option(min=0.1, help="Of that reader: rounds over all its pairs.")] = 1.3,
    out: Annotated[Path | None, typer.Option(help="Where to write; the shipped one by default.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Train the pair classifier, from sets that may train shipped weights and from pairs made of their sentences."""
    if not counterfactual and not further:
        raise typer.BadParameter("Counterfactual NLI's train files are needed", param_hint="--counterfactual")
    if beside or further:
        _train_beside(counterfactual or [], epochs, seed, out, further=further, as_json=as_json)
        return
    from clause.lab.pair_training import train_pair_classifier
    from clause.lab.pairs import published_pairs
    from clause.text.statements.pair_classifier import SHIPPED

    published = published_pairs("counterfactual-nli", counterfactual or [])
    published += published_pairs("fever-symmetric", fever or [])
    model = asyncio.run(train_pair_classifier(published, _embedder(), sentences=sentences, seed=seed))
    model.save(out or SHIPPED)
    show({**model.about, "out": str(out or SHIPPED), "command": given_command()}, as_json)


def _train_beside(
    counterfactual: list[Path], epochs: float, seed: int, out: Path | None, *, further: bool, as_json: bool
) -> None:
    import random

    from clause.lab.pair_training import train_beside
    from clause.lab.pairs import beside_lessons, nli_pairs, written_statements
    from clause.text.statements.pair_classifier import LABELS, SHIPPED_READER, PairReader, read_weights

    rng = random.Random(seed)  # noqa: S311 -- a reproducible draw
    published = [pair for path in counterfactual for pair in nli_pairs(path, (*LABELS, "entailment"))]
    first, later = written_statements()
    drawn = [] if further else rng.sample(published, len(published) // 2)
    lessons = asyncio.run(beside_lessons(first, drawn, _embedder(), rng))
    if further:
        fresh = asyncio.run(beside_lessons(later, [], _embedder(), rng))
        lessons = [*fresh, *rng.sample(lessons, min(len(fresh), len(lessons)))]
    start = read_weights() if further else None
    layers, head = train_beside(
        lessons, epochs=epochs, seed=seed, start=start, report=lambda line: stdout().print(line, markup=False)
    )
    about: dict[str, Any] = {"pairs": len(lessons), "published": len(drawn), "epochs": epochs, "seed": seed}
    about = {**start.about, "further": about} if start else about
    PairReader.save(out or SHIPPED_READER, layers, head, about)
    show({**about, "out": str(out or SHIPPED_READER), "command": given_command()}, as_json)


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
