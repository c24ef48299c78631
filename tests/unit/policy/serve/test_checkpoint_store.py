"""The store: which checkpoints are at hand, and how one gets there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clause.errors import BadInputError, ConflictError
from clause.policy.serve.checkpoint_store import SHIPPED_NAME, CheckpointStore
from clause.workers import CpuPool

MODEL = "all-MiniLM-L6-v2"


def checkpoint(folder: Path, name: str = "policy", model: str = MODEL) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({"embedder": {"model": model, "dimension": 384}, "sha256": "s"}))
    (folder / f"{name}.safetensors").write_bytes(b"weights")
    return folder / name


def test_the_shipped_policy_is_there_for_the_model_it_was_trained_with_only(tmp_path: Path) -> None:
    assert list(CheckpointStore(tmp_path / "none", MODEL, 384).paths()) == [SHIPPED_NAME]
    assert CheckpointStore(tmp_path, MODEL, 768).paths() == {}
    assert CheckpointStore(tmp_path, "another", 384).paths() == {}


def test_what_is_put_there_is_at_hand_by_its_name(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "policies", MODEL, 384)
    path = store.put(checkpoint(tmp_path / "run"), "films-2")
    assert path.with_suffix(".safetensors").read_bytes() == b"weights"
    assert list(store.paths()) == ["films-2", SHIPPED_NAME]
    assert set(store.policies(CpuPool(1))) == {"films-2", SHIPPED_NAME, "grounded", "statements"}


def test_checkpoints_for_another_embedder_or_broken_ones_are_not_at_hand(tmp_path: Path) -> None:
    checkpoint(tmp_path, "foreign", model="another")
    (tmp_path / "broken.json").write_text("{")
    assert list(CheckpointStore(tmp_path, MODEL, 384).paths()) == [SHIPPED_NAME]


@pytest.mark.parametrize("name", ["learned", "heuristic", "", "../up", "Upper", "x" * 65])
def test_reserved_and_malformed_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInputError, match="cannot be a policy's name"):
        CheckpointStore(tmp_path, MODEL, 384).put(checkpoint(tmp_path / "run"), name)


def test_half_a_checkpoint_is_refused(tmp_path: Path) -> None:
    path = checkpoint(tmp_path / "run")
    path.with_suffix(".safetensors").unlink()
    with pytest.raises(BadInputError, match="no checkpoint"):
        CheckpointStore(tmp_path / "policies", MODEL, 384).put(path, "films")
    assert not (tmp_path / "policies").exists()


def test_the_shipped_checkpoint_makes_a_policy_of_that_name(tmp_path: Path) -> None:
    pool = CpuPool(1)
    policy = CheckpointStore(tmp_path, MODEL, 384).policies(pool)[SHIPPED_NAME]()
    assert policy.name == SHIPPED_NAME
    pool.close()


def test_a_name_stands_for_the_same_weights_for_ever(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "policies", MODEL, 384)
    source = checkpoint(tmp_path / "run")
    store.put(source, "films")
    store.put(source, "films")
    source.with_suffix(".json").write_text(json.dumps({"embedder": {}, "sha256": "another"}))
    with pytest.raises(ConflictError, match="called 'films' already"):
        store.put(source, "films")
    assert store.sha256("films") == "s"


def test_a_checkpoint_that_came_after_the_start_is_found_and_one_that_left_is_not(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "policies", MODEL, 384)
    assert store.find("films", CpuPool(1)) is None
    store.put(checkpoint(tmp_path / "run"), "films")
    made = store.find("films", CpuPool(1))
    assert made is not None
    assert made().name == "films"
    store.remove("films")
    assert "films" not in store
    assert store.find("../films", CpuPool(1)) is None


def test_the_questions_that_training_kept_aside_come_back(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "policies", MODEL, 384)
    source = checkpoint(tmp_path / "run")
    about = json.loads(source.with_suffix(".json").read_text())
    source.with_suffix(".json").write_text(json.dumps({**about, "kept_aside": [{"question": "who", "answers": ["A"]}]}))
    store.put(source, "films")
    assert store.kept_aside("films") == [("who", ("A",))]
    assert store.kept_aside("learned") == []


def test_the_digest_is_that_of_the_weights_that_lie_there_now(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "policies", MODEL, 384)
    made = checkpoint(tmp_path / "run")
    assert store.sha256("films") == ""
    store.put(made, "films")
    assert store.sha256("films") == "s"
    store.remove("films")
    assert store.sha256("films") == ""
    about = json.loads(made.with_suffix(".json").read_text())
    made.with_suffix(".json").write_text(json.dumps({**about, "sha256": "t"}))
    store.put(made, "films")
    assert store.sha256("films") == "t"


@pytest.mark.parametrize("name", [SHIPPED_NAME, "../policies/films", "", "nobody"])
def test_what_is_no_checkpoint_of_the_folder_has_no_digest(tmp_path: Path, name: str) -> None:
    store = CheckpointStore(tmp_path / "policies", MODEL, 384)
    store.put(checkpoint(tmp_path / "run"), "films")
    assert store.sha256(name) == ""
