from pathlib import Path

import numpy as np
import pytest

from clause.policy.train.warm_start import VectorTable
from tests.fakes.embedder import HashEmbedder


def test_a_text_is_embedded_once_and_kept_in_the_folder(tmp_path: Path) -> None:
    embedder = HashEmbedder(16)
    table = VectorTable(embedder, tmp_path)
    table.learn(["a", "b"])
    table.learn(["a"])
    assert embedder.calls == 1
    again = VectorTable(embedder, tmp_path)
    again.learn(["b", "a"])
    assert embedder.calls == 1
    np.testing.assert_array_equal(again.stack(["a", "b"]), table.stack(["a", "b"]))
    np.testing.assert_array_equal(again["a"], table["a"])


def test_vectors_of_another_model_are_not_taken(tmp_path: Path) -> None:
    VectorTable(HashEmbedder(16), tmp_path).learn(["a"])
    other = HashEmbedder(16, model="other")
    VectorTable(other, tmp_path).learn(["a"])
    assert other.calls == 1


def test_a_kill_while_vectors_are_kept_leaves_those_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    VectorTable(HashEmbedder(16), tmp_path).learn(["a"])

    def killed(file: Path, **_arrays: object) -> None:
        Path(file).write_bytes(b"PK half")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", killed)
    with pytest.raises(KeyboardInterrupt):
        VectorTable(HashEmbedder(16), tmp_path).learn(["b"])
    monkeypatch.undo()
    VectorTable(HashEmbedder(16), tmp_path).learn(["a", "b"])
