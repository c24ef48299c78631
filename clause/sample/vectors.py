"""Packed vectors: int8 rows with one scale each, in a safetensors file with the model and a hash of the names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clause.errors import SetupError

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class PackedVectors:
    """`rows` int8 [n, d] and `scales` float32 [n]; row i belongs to the i-th name in sorted order."""

    model: str
    fingerprint: str
    rows: NDArray[np.int8]
    scales: NDArray[np.float32]

    def unpack(self, start: int = 0, stop: int | None = None) -> Vectors:
        """Unit vectors of the names start..stop, float32 [stop - start, d]."""
        return unit(self.rows[start:stop].astype(np.float32) * self.scales[start:stop, None])


def unit(vectors: Vectors) -> Vectors:
    """Each row divided by its Euclidean length, float32 [n, d]."""
    lengths: Vectors = np.linalg.norm(vectors, axis=1, keepdims=True).astype(np.float32)
    return (vectors / np.maximum(lengths, np.float32(1e-12))).astype(np.float32)


def fingerprint(names: Sequence[str]) -> str:
    """The sha256 of names in their order."""
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode("utf-8") + b"\n")
    return digest.hexdigest()


def pack(names: Sequence[str], vectors: Vectors, model: str) -> PackedVectors:
    """Vectors [n, d] of `names` at a quarter of their size; the cosine to the original stays above 0.999.

    >>> packed = pack(["a"], np.array([[0.6, -0.8]], dtype=np.float32), "m")
    >>> packed.unpack().round(2).tolist()
    [[0.6000000238418579, -0.800000011920929]]
    """
    scales = (np.abs(vectors).max(axis=1) / 127.0).astype(np.float32)
    rows = np.rint(vectors / np.maximum(scales, np.float32(1e-12))[:, None]).astype(np.int8)
    return PackedVectors(model, fingerprint(names), rows, scales)


def save(packed: PackedVectors, path: Path) -> None:
    """Write the file."""
    from safetensors.numpy import save_file  # noqa: PLC0415

    metadata = {"model": packed.model, "fingerprint": packed.fingerprint}
    save_file({"rows": packed.rows, "scales": packed.scales}, path, metadata=metadata)


def load(path: Path) -> PackedVectors:
    """Read the file.

    Raises:
        SetupError: it is not there or not what `save` writes.
    """
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415

    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata()
            rows, scales = file.get_tensor("rows"), file.get_tensor("scales")
            return PackedVectors(metadata["model"], metadata["fingerprint"], rows, scales)
    except (OSError, KeyError, TypeError, SafetensorError) as error:
        raise SetupError(
            f"{path.name} cannot be read: {error}", remedy="run `python -m clause.sample.build`"
        ) from error
