"""`clause evaluate clustering`, and making its files from published sets."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout
from clause.cli.measuring import given_command

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class ReductionName(StrEnum):
    """How dimensions are reduced before HDBSCAN."""

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
    from clause.evaluation.clustering import evaluate_clustering, read_texts
    from clause.evaluation.remembering import RememberingEmbedder
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
    from clause.evaluation.clustering import sample_published

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
    from clause.cli.measuring import opened
    from clause.evaluation.prototype_search import search_study

    async with opened(sample=False) as container:
        return await search_study(container.rooms.memory, said, labels, vectors, **asked)


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
