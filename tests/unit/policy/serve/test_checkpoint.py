import json
from pathlib import Path

import pytest
import torch

from clause.errors import BadInputError, NotFoundError
from clause.policy.train.networks import SHIPPED, load, save
from tests.unit.policy.cinema import DIMENSION, checkpoint


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "deep" / "policy"
    save(checkpoint(), path)
    return path


def test_what_was_saved_comes_back(saved: Path) -> None:
    found, made = load(saved, embedder="hash", dimension=DIMENSION), checkpoint()
    assert found.about == made.about
    for part in ("scorer", "actors"):
        for name, value in getattr(made, part).state_dict().items():
            assert torch.equal(getattr(found, part).state_dict()[name], value), name


def test_nothing_half_written_is_left(saved: Path) -> None:
    assert sorted(file.name for file in saved.parent.iterdir()) == ["policy.json", "policy.safetensors"]


@pytest.mark.parametrize("ending", [".json", ".safetensors"])
def test_a_missing_file_is_named(saved: Path, ending: str) -> None:
    saved.with_suffix(ending).unlink()
    with pytest.raises(NotFoundError, match=f"policy{ending}"):
        load(saved)


def test_another_embedder_or_dimension_is_refused_with_both_names(saved: Path) -> None:
    with pytest.raises(BadInputError, match="'hash', the graph uses 'other'"):
        load(saved, embedder="other")
    with pytest.raises(BadInputError, match=f"{DIMENSION} numbers, the graph's have 384"):
        load(saved, dimension=384)


def edit(path: Path, **changes: object) -> None:
    file = path.with_suffix(".json")
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_a_checkpoint_of_another_version_is_refused(saved: Path) -> None:
    edit(saved, observed=["other"])
    with pytest.raises(BadInputError, match="another version"):
        load(saved)


@pytest.mark.parametrize("changes", [{"network": {"dimension": -1}}, {"embedder": None}])
def test_a_description_that_describes_nothing_is_refused(saved: Path, changes: dict[str, object]) -> None:
    edit(saved, **changes)
    with pytest.raises(BadInputError, match="describes no checkpoint"):
        load(saved)


def test_text_that_is_no_json_is_refused(saved: Path) -> None:
    saved.with_suffix(".json").write_text("{")
    with pytest.raises(BadInputError, match="describes no checkpoint"):
        load(saved)


def test_damaged_weights_are_refused(saved: Path) -> None:
    file = saved.with_suffix(".safetensors")
    file.write_bytes(file.read_bytes()[:-4] + b"oops")
    with pytest.raises(BadInputError, match="damaged"):
        load(saved)


def test_weights_of_other_sizes_are_refused(saved: Path) -> None:
    edit(saved, network={"dimension": DIMENSION, "hidden": 8, "option_hidden": 8})
    with pytest.raises(BadInputError, match="does not fit"):
        load(saved)


def test_weights_that_are_not_numbers_are_refused(tmp_path: Path) -> None:
    made = checkpoint()
    with torch.no_grad():
        made.scorer.first[0] = float("nan")
    save(made, tmp_path / "policy")
    with pytest.raises(BadInputError, match="not finite"):
        load(tmp_path / "policy")


def test_the_shipped_checkpoint_loads_and_is_small() -> None:
    assert load(SHIPPED, embedder="all-MiniLM-L6-v2", dimension=384).about.metrics
    assert sum(SHIPPED.with_suffix(ending).stat().st_size for ending in (".json", ".safetensors")) < 20 * 2**20
