"""Settings: read from CLAUSE_* variables, refused where unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from clause.cli.serve import state_path
from clause.cli.service import STATE, told
from clause.errors import SettingsError
from clause.operations.keys import key_file
from clause.settings import Settings


def test_variables_and_overrides_are_read() -> None:
    settings = Settings.load({"CLAUSE_PORT": "9000", "CLAUSE_HOME": "/srv/clause", "HOME": "/root"}, mode="personal")
    assert (settings.port, settings.home, settings.mode) == (9000, Path("/srv/clause"), "personal")


def test_a_tilde_that_no_shell_expanded_is_one_home_for_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = Settings.load({"CLAUSE_HOME": "~/brain", "CLAUSE_DATA": "~"})

    assert (settings.home, settings.data) == (tmp_path / "brain", tmp_path)
    assert state_path(settings) == tmp_path / "brain" / STATE
    assert key_file(settings).path.parent == tmp_path / "brain"


def test_the_home_of_a_user_whom_nobody_knows_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"CLAUSE_HOME: .*~nobody-at-all/x names no home folder"):
        Settings.load({"CLAUSE_HOME": "~nobody-at-all/x"})


def test_variables_of_the_test_suite_are_no_settings() -> None:
    assert Settings.load({"CLAUSE_TEST_NEO4J_URI": "bolt://localhost:7687"}).neo4j_uri is None


def test_an_unknown_variable_without_a_near_one_lists_the_known() -> None:
    with pytest.raises(SettingsError, match=r"known: CLAUSE_.*CLAUSE_DATA"):
        Settings.load({"CLAUSE_ZZZZZZZZZZ": "1"})


def test_a_refused_value_names_its_variable() -> None:
    with pytest.raises(SettingsError, match="CLAUSE_PORT") as caught:
        Settings.load({"CLAUSE_PORT": "70000"})
    assert caught.value.field == "port"


def test_settings_never_change() -> None:
    with pytest.raises(ValidationError):
        Settings.load({}).port = 1  # type: ignore[misc]


def test_passwords_do_not_show() -> None:
    assert "hunter2" not in repr(Settings.load({"CLAUSE_NEO4J_PASSWORD": "hunter2"}))


def test_an_empty_variable_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = {"CLAUSE_HOME": "", "CLAUSE_API_KEY": "", "CLAUSE_NEO4J_URI": "", "CLAUSE_PORT": ""}
    unset = Settings.load({})
    assert Settings.load(empty) == unset
    assert told(empty) == told({})
    for name, value in empty.items():
        monkeypatch.setenv(name, value)
    assert Settings.load() == Settings() == unset


def test_the_scope_of_writes_is_a_scope() -> None:
    assert Settings.load({"CLAUSE_DEFAULT_SCOPE": "user:ann"}).default_scope == "user:ann"
    with pytest.raises(
        SettingsError, match=r"^CLAUSE_DEFAULT_SCOPE: 'ann' is not a scope; use one of public, "
    ) as caught:
        Settings.load({"CLAUSE_DEFAULT_SCOPE": "ann"})
    assert caught.value.field == "default_scope"
