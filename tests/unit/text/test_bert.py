"""The exported encoder: the library's own vectors, whatever a text is computed beside, and without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from clause.errors import SetupError
from clause.text.bert import Bert, _in_bytes, _mapped, layer_names
from clause.text.embedder import SentenceTransformerEmbedder, packaged_folder
from tests.unit.text.test_embedder import NASTY

pytestmark = pytest.mark.slow

TEXTS = [
    "who directed Heat",
    "film",
    "the films that share actors with Heat released",
    "雨 🎬",
    "Café ÅNGSTRÖM naïve ﬁlm",
    "word " * 400,
    *(text.encode("utf-8", "ignore").decode() for text in NASTY),
]


@pytest.fixture(scope="module")
def bert() -> Bert:
    return Bert(packaged_folder(), 256)


def test_a_texts_vector_is_that_of_the_library(bert: Bert) -> None:
    library = SentenceTransformerEmbedder(backend="torch")._model()
    theirs = np.stack([library.encode(text, normalize_embeddings=True) for text in TEXTS])
    ours = bert.vectors(TEXTS)
    assert ours.dtype == np.float32
    assert np.einsum("nd,nd->n", ours, theirs).min() > 0.995  # in bytes; what that costs recall: decision 20


def test_sums_of_bytes_are_exact_on_every_processor() -> None:
    weights, _ = _mapped(packaged_folder() / "model.safetensors")
    maps = [values for name, values in _in_bytes(layer_names(weights)).items() if name.endswith("bytes")]
    assert len(maps) == 24
    for made in maps:
        pairs = made[::2].astype(int) + made[1::2]
        assert 255 * max(np.abs(pairs).max(), np.abs(made.astype(int)).max()) < 2**15  # where VNNI is missing
        worst = np.where(made.T[::7] > 0, 255, 0).astype(np.uint8)
        assert np.array_equal(_multiplied(worst, made), worst.astype(int) @ made)


def _multiplied(states: np.ndarray, made: np.ndarray) -> np.ndarray:
    """The product as ONNX Runtime makes it on this processor."""
    onnx = pytest.importorskip("onnx")
    told = [("states", onnx.TensorProto.UINT8), ("made", onnx.TensorProto.INT8), ("sums", onnx.TensorProto.INT32)]
    taken = [onnx.helper.make_tensor_value_info(name, kind, [None, None]) for name, kind in told]
    node = onnx.helper.make_node("MatMulInteger", ["states", "made"], ["sums"])
    graph = onnx.helper.make_graph([node], "product", taken[:2], taken[2:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {"states": states, "made": made})[0]


def test_a_texts_vector_does_not_hang_on_its_company(bert: Bert) -> None:
    many = TEXTS * 9  # more than one run
    together = bert.vectors(many)
    for text, vector in zip(many, together, strict=True):
        assert np.array_equal(bert.vectors([text])[0], vector)


def test_what_was_made_is_nobody_elses(bert: Bert) -> None:
    bert.vectors(TEXTS)[:] = 0
    assert np.allclose(np.linalg.norm(bert.vectors(TEXTS), axis=1), 1, atol=1e-5)


def test_weights_in_place_of_the_models_own_are_used(bert: Bert) -> None:
    tuned = {"layers.5.narrow_norm.bias": np.ones(384, dtype=np.float32)}
    (own,), (other,) = bert.runs(["film"]), Bert(packaged_folder(), 64, tuned).runs(["film"])
    assert not np.allclose(own.states, other.states, atol=0.1)


def test_another_folder_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be loaded"):
        Bert(tmp_path, 256)
    (tmp_path / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    (tmp_path / "tokenizer.json").write_bytes((packaged_folder() / "tokenizer.json").read_bytes())
    with pytest.raises(SetupError, match="word_embeddings"):
        Bert(tmp_path, 256)


def test_the_graphs_hold_no_weights_and_can_be_exported_again(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    from clause.lab.reader.training import export_layers
    from clause.policy.train.encoder import packaged_encoder
    from clause.text.bert import GRAPH, IN_BYTES

    export_layers(packaged_encoder(), tmp_path / GRAPH.name)
    for shipped in (GRAPH, IN_BYTES):
        again, kept = (onnx.load_model(file, load_external_data=False) for file in (tmp_path / shipped.name, shipped))
        assert again.graph == kept.graph
        assert shipped.stat().st_size < 100_000


def test_weights_of_ones_own_are_run_as_they_are() -> None:
    own, quick = Bert(packaged_folder(), 256, tuned={}), Bert(packaged_folder(), 256)
    library = SentenceTransformerEmbedder(backend="torch")._model()
    theirs = np.stack([library.encode(text, normalize_embeddings=True) for text in TEXTS])
    assert np.allclose(own.vectors(TEXTS), theirs, atol=1e-6)
    assert not np.allclose(quick.vectors(TEXTS), theirs, atol=1e-3)


def test_embedding_imports_no_torch() -> None:
    code = (
        "import asyncio, sys\n"
        "from clause.text.embedder import SentenceTransformerEmbedder\n"
        "asyncio.run(SentenceTransformerEmbedder().embed(['a film']))\n"
        "assert not {'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_texts_of_one_run_are_nearly_of_one_length_and_not_too_many(bert: Bert) -> None:
    texts = ["one", "one word", *["a question about the films of a director " * 3] * 40]
    runs = list(bert.runs(texts))
    assert sorted(row for run in runs for row in run.rows) == list(range(len(texts)))
    for run in runs:
        assert run.present.size <= 512
        assert (~run.present).sum() <= 10
