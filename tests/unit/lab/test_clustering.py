"""`clause evaluate clustering`: its files, its figures against an independent library, and what it prints."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from clause.errors import BadInputError
from clause.lab.clustering import (
    calibrated_threshold,
    evaluate_clustering,
    figures,
    joined,
    prototype_cosine,
    purity,
    read_texts,
    sample_published,
)
from clause.lab.commands import evaluate
from clause.values.clustering import Density, unit
from tests.fakes.embedder import HashEmbedder

LABELS = st.lists(st.integers(-1, 4), min_size=2, max_size=40)


def groups(sizes: list[int], spread: float = 0.02, dimension: int = 48) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    centres = unit(rng.normal(size=(len(sizes), dimension)).astype(np.float32))
    true = np.repeat(np.arange(len(sizes)), sizes)
    return unit(centres[true] + rng.normal(scale=spread, size=(len(true), dimension)).astype(np.float32)), true


def test_texts_are_read_with_or_without_a_heading(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.tsv", tmp_path / "b.tsv.gz"
    plain.write_text("text\tlabel\nhow much\tprice\n\nwhere\tplace\n", encoding="utf-8")
    packed.write_bytes(gzip.compress(b"a\tb\tfirst\nwhere\tplace\n"))
    assert read_texts(plain) == (["how much", "where"], ["price", "place"])
    assert read_texts(packed) == (["a\tb", "where"], ["first", "place"])


@pytest.mark.parametrize("text", ["", "only one\tlabel\n", "no label\nx\ty\n", "a\t\nb\tc\n", "\tx\nb\tc\n"])
def test_a_file_that_is_no_set_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError):
        read_texts(path)


def test_samples_are_drawn_by_label_and_seed(tmp_path: Path) -> None:
    banking = tmp_path / "train.csv"
    banking.write_text("text,category\n" + "".join(f'"t, {i}",c{i % 2}\n' for i in range(20)), encoding="utf-8")
    clinc = tmp_path / "train.tsv.gz"
    clinc.write_bytes(gzip.compress("".join(f"i{i % 2}\tsay {i}\n" for i in range(20)).encode()))
    drawn = sample_published("banking77", banking, 4, seed=1)
    assert drawn == sample_published("banking77", banking, 4, seed=1)
    assert drawn != sample_published("banking77", banking, 4, seed=2)
    assert sorted(label for _, label in drawn) == ["c0"] * 4 + ["c1"] * 4
    assert len(sample_published("clinc150", clinc, 99, seed=0)) == 20
    with pytest.raises(BadInputError):
        sample_published("cifar", clinc, 1, seed=0)


def test_joining_goes_in_the_order_of_arrival() -> None:
    vectors, true = groups([5, 5, 5])
    found = joined(vectors, 0.8)
    assert found[0] == 0
    assert adjusted_rand_score(true, found) == 1.0


def test_the_calibrated_threshold_reaches_the_compression() -> None:
    vectors, _ = groups([12] * 10, spread=0.12)
    threshold = calibrated_threshold(vectors, 4.0)
    assert len(vectors) / (joined(vectors, threshold).max() + 1) == pytest.approx(4.0, rel=0.2)


def test_figures_of_what_is_found_exactly() -> None:
    vectors, true = groups([6, 4])
    told = figures(vectors, true, true)
    assert (told["clusters"], told["noise"], told["compression"]) == (2, 0, 5.0)
    assert (told["adjusted_rand"], told["purity"]) == (1.0, 1.0)
    assert told["silhouette"] > 0.8
    assert told["prototype_cosine"] > 0.98


def test_noise_compresses_nothing_and_is_never_pure() -> None:
    vectors, true = groups([6, 4])
    found = np.where(true == 1, -1, 0)
    told = figures(vectors, found, true)
    assert (told["clusters"], told["noise"], told["compression"]) == (1, 4, 2.0)
    assert (told["purity"], told["silhouette"]) == (0.6, None)
    nothing = figures(vectors, np.full(10, -1), true)
    assert (nothing["clusters"], nothing["purity"], nothing["prototype_cosine"]) == (0, 0.0, None)


@given(LABELS, st.randoms(use_true_random=False))
def test_purity_is_what_counting_says(found: list[int], draw: object) -> None:
    true = np.array([draw.randrange(3) for _ in found])  # type: ignore[attr-defined]
    right = 0
    for cluster in {label for label in found if label != -1}:
        inside = [int(label) for label, where in zip(true, found, strict=True) if where == cluster]
        right += max(inside.count(label) for label in set(inside))
    assert purity(np.array(found), true) == pytest.approx(right / len(found))


def test_prototype_cosine_against_a_slow_loop() -> None:
    vectors, true = groups([7, 5, 3], spread=0.2)
    slow = []
    for vector, label in zip(vectors, true, strict=True):
        prototype = vectors[true == label].astype(float).mean(axis=0)
        slow.append(float(vector @ prototype / np.linalg.norm(prototype)))
    assert prototype_cosine(vectors, true) == pytest.approx(np.mean(slow), abs=1e-6)


async def test_every_way_is_measured() -> None:
    words = [f"{group} {group}s word {number}" for group in ("tea", "rain", "road") for number in range(12)]
    labels = [group for group in "abc" for _ in range(12)]
    told = await evaluate_clustering(words, labels, HashEmbedder(), density=Density(reduction="pca"))
    assert (told["n"], told["labels"]) == (36, 3)
    assert set(told["systems"]) == {"ours_0.85", "ours_calibrated", "hdbscan", "kmeans"}
    assert told["systems"]["kmeans"]["clusters"] == told["systems"]["kmeans"]["k"] == 3
    assert told["systems"]["kmeans"]["adjusted_rand"] == 1.0
    columns = {"compression", "silhouette", "prototype_cosine", "adjusted_rand", "purity", "seconds"}
    assert all(columns <= system.keys() for system in told["systems"].values())


def test_the_command_prints_json_or_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clause.text.embedder.SentenceTransformerEmbedder", HashEmbedder)
    source, out = tmp_path / "train.csv", tmp_path / "set.tsv"
    rows = "".join(f"{word} {word}s {i},{word}\n" for word in ("tea", "rain") for i in range(12))
    source.write_text(f"text,category\n{rows}", encoding="utf-8")
    run = CliRunner().invoke
    made = run(evaluate.app, ["make-clusters", "banking77", str(source), "--out", str(out), "--json"])
    assert json.loads(made.stdout)["n"] == 24, made.output
    asked = ["clustering", "--texts", str(out), "--reduction", "none"]
    told = json.loads(run(evaluate.app, [*asked, "--json"]).stdout)
    assert told["systems"]["hdbscan"]["reduction"] == "none"
    shown = run(evaluate.app, asked, env={"COLUMNS": "200"})
    assert "adjusted_rand" in shown.output
    assert run(evaluate.app, ["make-clusters", "banking77", str(source), "--out", str(out)]).exit_code == 0


def test_the_command_searches_where_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, dict[str, object]]] = []
    way = {"recall": 1.0, "label": 0.5, "p50_ms": 2.0, "p95_ms": 3.0}

    async def searched(said: list[str], _labels: list[str], vectors: np.ndarray, **options: object) -> object:
        asked.append((len(said), {"shape": vectors.shape, **options}))
        sizes = {"memories": 20, "clusters": 4, "queries": 4, "k": 5, "points_lost": 0.0, "p50_ratio": 0.5}
        return {**sizes, "ways": {"prototypes_first": way, "every_member": way}}

    monkeypatch.setattr("clause.text.embedder.SentenceTransformerEmbedder", HashEmbedder)
    monkeypatch.setattr("clause.lab.commands.memory._searched", searched)
    texts = tmp_path / "set.tsv"
    texts.write_text("".join(f"{word} {word}s {i}\t{word}\n" for word in ("tea", "rain") for i in range(12)))
    command = ["clustering", "--texts", str(texts), "--reduction", "none", "--search", "--queries", "4"]
    told = json.loads(CliRunner().invoke(evaluate.app, [*command, "--json"]).stdout)
    assert told["search"]["p50_ratio"] == 0.5
    assert asked[0][0] == 24
    threshold = told["systems"]["ours_calibrated"]["threshold"]
    assert asked[0][1] == {"shape": (24, 384), "threshold": threshold, "queries": 4, "seed": 0}
    shown = CliRunner().invoke(evaluate.app, command, env={"COLUMNS": "200"}).output
    assert "20 memories in 4 clusters, 4 queries" in shown
    assert "prototypes_first" in shown
