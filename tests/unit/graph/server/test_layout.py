from __future__ import annotations

import shutil
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from clause.errors import ServerError
from clause.graph.server.layout import Layout, Ports


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "home")
    layout.prepare()
    return layout


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_folder_is_for_its_owner_only(layout: Layout) -> None:
    folders = [layout.home, *layout.home.iterdir()]
    assert {folder.name for folder in folders} >= {"conf", "data", "import", "logs", "run"}
    assert {mode(folder) for folder in folders} == {0o700}


def test_a_home_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ServerError, match="cannot write") as caught:
        Layout(tmp_path / "file" / "home").prepare()
    assert "CLAUSE_HOME" in str(caught.value.remedy)


def test_a_full_disk_is_told_before_anything_starts(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    layout.require_room()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=7 << 20))
    with pytest.raises(ServerError, match="the disk is full: 7 MiB are left") as caught:
        layout.require_room()
    assert "CLAUSE_HOME" in str(caught.value.remedy)


def test_the_first_password_is_long_kept_and_private(layout: Layout, tmp_path: Path) -> None:
    first = layout.read_password()
    assert len(first) >= 40
    assert layout.read_password() == first
    assert mode(layout.password) == 0o600
    assert Layout(tmp_path / "other").read_password() != first


@pytest.mark.parametrize("content", [None, "", " \n"])
def test_a_lost_password_is_never_replaced_when_a_store_has_one(layout: Layout, content: str | None) -> None:
    (layout.home / "data" / "databases" / "system").mkdir(parents=True)
    if content is not None:
        layout.password.write_text(content)
    with pytest.raises(ServerError, match="missing or empty") as caught:
        layout.read_password()
    assert "put the password back" in str(caught.value.remedy)


def test_a_password_file_that_cannot_be_read_is_one_clear_line(layout: Layout) -> None:
    layout.password.mkdir()
    with pytest.raises(ServerError, match="cannot read"):
        layout.read_password()


def test_the_configuration_is_loopback_with_a_password_and_sends_nothing_home(layout: Layout) -> None:
    layout.configure(Ports(bolt=1111, http=2222), heap_mb=512)
    lines = (layout.configuration / "neo4j.conf").read_text().splitlines()
    settings = dict(line.split("=", 1) for line in lines)
    addresses = [value for name, value in settings.items() if "listen_address" in name]
    assert all(value.startswith("127.0.0.1") for value in addresses)
    assert len(addresses) == 3
    assert settings["dbms.security.auth_enabled"] == "true"
    assert settings["dbms.usage_report.enabled"] == settings["client.allow_telemetry"] == "false"
    assert settings["dbms.fleet_manager.enabled"] == "false"
    assert settings["server.directories.import"] == "import"
    assert settings["server.memory.pagecache.size"] == "256m"
    assert mode(layout.configuration / "neo4j.conf") == 0o600


def test_further_settings_stand_beside_the_usual_ones_and_in_their_place(layout: Layout) -> None:
    layout.configure(Ports(), 512, {"dbms.cypher.min_replan_interval": "1h", "db.transaction.timeout": "1m"})
    lines = (layout.configuration / "neo4j.conf").read_text().splitlines()
    assert {"dbms.cypher.min_replan_interval=1h", "db.transaction.timeout=1m"} <= {*lines}
    assert sum(line.startswith("db.transaction.timeout") for line in lines) == 1
    layout.configure(Ports(), 512)
    assert "replan" not in (layout.configuration / "neo4j.conf").read_text()


def test_the_ports_are_read_back_from_the_configuration(layout: Layout) -> None:
    assert layout.configured_ports() == Ports()
    layout.configure(Ports(bolt=1111, http=2222), heap_mb=512)
    assert layout.configured_ports() == Ports(bolt=1111, http=2222)


def test_the_log_of_the_last_run_is_put_aside(layout: Layout) -> None:
    assert not layout.says_started()
    layout.log.write_text("2026-11-21 INFO  Started.\n")
    assert layout.says_started()
    layout.turn_logs()
    assert not layout.says_started()
    assert layout.log.with_suffix(".log.1").exists()
