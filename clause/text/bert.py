"""A small BERT without torch: its layers as a graph for ONNX Runtime, its weights where the model's package has them.

`bert.onnx` holds the layers and no weights: these are handed in by name, from the model's safetensors; to `bert_bytes`
as bytes (decision 20). `python -m clause.lab.reader export` made both of `TokenEncoder`; any six such layers fit in.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clause.arrays import Flags, Floats, Longs, Vectors
from clause.errors import SetupError

GRAPH = Path(__file__).parent / "bert.onnx"
IN_BYTES = GRAPH.with_stem("bert_bytes")
BYTE_MAPS = tuple(f"{part}.weight" for part in ("query", "key", "wide", "narrow"))  # not what attention hands on
_RUN = 512  # most places of a run, padding included: bounds what attention holds, and fits the processor's caches
_PADDING = 10  # most padded places of a run: they take as long as reading the weights once more
PARTS = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "joined",
    "attention.output.LayerNorm": "joined_norm",
    "intermediate.dense": "wide",
    "output.dense": "narrow",
    "output.LayerNorm": "narrow_norm",
}
"""The parts of a layer by their names in a model's own file, and here."""


class Tokens(NamedTuple):
    """The tokens of a text: `vectors` of unit length [n, d]; `spans`: first character of each, and the one after."""

    vectors: Vectors
    spans: Sequence[tuple[int, int]]


class TokenRun(NamedTuple):
    """Texts run together: which [n], the states of their tokens [n, longest, d], which places hold one [n, longest]."""

    rows: list[int]
    states: Floats
    present: Flags


class Bert:
    """The states of the tokens of texts. Safe to share between threads.

    Args:
        folder: of the model: `model.safetensors` and `tokenizer.json`.
        longest: tokens of a text that are read, those at both ends included.
        tuned: weights in place of the model's, by the names of `layer_names`; all run as they are. None: in bytes.

    Raises:
        SetupError: the folder does not hold such a model.
    """

    def __init__(self, folder: Path, longest: int, tuned: Mapping[str, Floats] | None = None) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - with the model alone

        try:
            weights, mapped = _mapped(folder / "model.safetensors")
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._words = weights["embeddings.word_embeddings.weight"]
            kind = weights["embeddings.token_type_embeddings.weight"][0]
            self._places = weights["embeddings.position_embeddings.weight"][:longest] + kind
            self._session = _session({**layer_names(weights), **(tuned or {})}, IN_BYTES if tuned is None else GRAPH)
            mapped.madvise(mmap.MADV_DONTNEED)  # what the runtime has copied need not stay in memory
        except Exception as error:  # the libraries raise errors of their own kinds, `Exception` among them
            again = f"install the package {folder.parent.name} again"
            raise SetupError(f"the encoder cannot be loaded from {folder}: {error}", remedy=again) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest)

    def runs(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> Iterator[TokenRun]:
        """The states of all texts, in runs of texts of similar length."""
        tokens = [row.ids for row in self._tokenizer.encode_batch(list(texts))]
        waiting = sorted(range(len(tokens)), key=lambda row: len(tokens[row]))
        while waiting:
            count, length, padding = 0, len(tokens[waiting[0]]), 0
            for longer in (len(tokens[row]) for row in waiting):
                padding += count * (longer - length)
                if count and (padding > _PADDING or (count + 1) * longer > _RUN):
                    break
                count, length = count + 1, longer
            rows, waiting = waiting[:count], waiting[count:]
            yield self._run(rows, [tokens[row] for row in rows])

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Unit means of the tokens of texts, float32 [n, d]."""
        found = np.empty((len(texts), self._words.shape[1]), dtype=np.float32)
        for rows, states, present in self.runs(texts):
            found[rows] = unit_means(states, present)
        return found

    def tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[Tokens]]:
        """The unit means, and the tokens of each text, without the two that frame it."""
        found = np.empty((len(texts), self._words.shape[1]), dtype=np.float32)
        tokens = [Tokens(found[:0], row.offsets[1:-1]) for row in self._tokenizer.encode_batch(list(texts))]
        for rows, states, present in self.runs(texts):
            found[rows] = unit_means(states, present)
            for row, state, here in zip(rows, states, present, strict=True):
                tokens[row] = tokens[row]._replace(vectors=unit_rows(state[here][1:-1]))
        return found, tokens

    def _run(self, rows: list[int], tokens: Sequence[Sequence[int]]) -> TokenRun:
        lengths = np.array([len(row) for row in tokens])
        present: Flags = np.arange(lengths.max()) < lengths[:, None]
        ids: Longs = np.zeros(present.shape, dtype=np.int64)
        ids[present] = [token for row in tokens for token in row]
        summed = self._words[ids] + self._places[: ids.shape[1]]
        return TokenRun(rows, self._session.run(None, {"summed": summed, "present": present})[0], present)


def unit_means(states: Floats, present: Flags) -> Floats:
    """Means of the states that are present [n, longest, d], of unit length [n, d]."""
    return unit_rows(np.einsum("nld,nl->nd", states, present.astype(np.float32)) / present.sum(1, keepdims=True))


def unit_rows(states: Floats) -> Vectors:
    """Rows [n, d] of unit length."""
    return np.asarray(states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-12), dtype=np.float32)


def layer_names(weights: Mapping[str, Any]) -> dict[str, Any]:
    """A BERT's weights behind its tables of words and places, by the names that `bert.onnx` has for them."""
    named = {f"norm.{last}": weights[f"embeddings.LayerNorm.{last}"] for last in ("weight", "bias")}
    for name, value in weights.items():
        if name.startswith("encoder.layer."):
            number, _, rest = name.removeprefix("encoder.layer.").partition(".")
            part, _, last = rest.rpartition(".")
            named[f"layers.{number}.{PARTS[part]}.{last}"] = value
    return named


def _session(weights: Mapping[str, Floats], graph: Path) -> Any:
    import onnxruntime  # noqa: PLC0415 - with the model alone

    options = onnxruntime.SessionOptions()
    # The pool's threads share the cores: a second one inside each, and waiting in a loop, doubles the work of a query.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # else the longest run's memory is never freed
    options.log_severity_level = 3
    named = _in_bytes(weights) if graph == IN_BYTES else weights
    held = list(map(np.ascontiguousarray, named.values()))  # the runtime reads them where they are
    options.add_external_initializers(list(named), list(map(onnxruntime.OrtValue.ortvalue_from_numpy, held)))
    return onnxruntime.InferenceSession(graph.read_bytes(), options, providers=["CPUExecutionProvider"])


def _in_bytes(weights: Mapping[str, Any]) -> dict[str, Any]:
    """Some maps as bytes [inputs, outputs], with the scale and the total of each output; the rest as it is."""
    found = dict(weights)
    for name in (one for one in weights if one.endswith(BYTE_MAPS)):
        near = found.pop(name).T
        scale = np.abs(np.concatenate([near, near[::2] + near[1::2]])).max(axis=0).clip(1e-12) / 127  # decision 20
        near = np.rint(near / scale)
        for part, value in (("bytes", near.astype(np.int8)), ("scale", scale), ("total", near.sum(axis=0) * scale)):
            found[name.replace("weight", part)] = value
    return found


def _mapped(file: Path) -> tuple[dict[str, Floats], mmap.mmap]:
    """The float32 tensors of a safetensors file, read where they are used (its library copies all), and the map."""
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    length, found = int.from_bytes(mapped[:8], "little"), {}
    for name, told in json.loads(mapped[8 : 8 + length]).items():
        if name != "__metadata__" and told["dtype"] == "F32":
            begin, end = told["data_offsets"]
            flat = np.frombuffer(mapped, np.float32, (end - begin) // 4, 8 + length + begin)
            found[name] = flat.reshape(told["shape"])
    return found, mapped
