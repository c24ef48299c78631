import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from clause.errors import BadInputError, SettingsError
from clause.mcp_bridge.clients import entry, plan_change, usual_place
from clause.settings import Settings


def test_the_server_is_added_and_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "claude.json"
    file.write_text('{"theme": "dark", "mcpServers": {"other": {"command": "x"}}}')
    file.chmod(0o600)
    change = plan_change("claude-code", file, Settings())
    assert change.needed
    assert '+    "clause": {' in change.shown()
    change.apply()
    written = json.loads(file.read_text())
    assert (written["theme"], written["mcpServers"]["other"]) == ("dark", {"command": "x"})
    assert written["mcpServers"]["clause"]["args"] == ["-m", "clause.cli.main", "mcp"]
    assert written["mcpServers"]["clause"]["command"] == sys.executable
    assert file.stat().st_mode & 0o777 == 0o600
    assert "dark" in (tmp_path / "claude.json.bak").read_text()


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "new" / "mcp.json"
    plan_change("cursor", file, Settings()).apply()
    again = plan_change("cursor", file, Settings())
    assert not again.needed
    assert again.shown() == f"{file} needs no change"


def test_settings_are_passed_on_but_no_secret_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSE_HOME", raising=False)
    settings = Settings(
        mode="personal", neo4j_uri="bolt://db:7687", neo4j_password=SecretStr("hush"), api_key="clause_x"
    )
    told = entry(settings, "cursor")
    assert told["env"] == {"CLAUSE_MODE": "personal", "CLAUSE_NEO4J_URI": "bolt://db:7687"}
    assert "type" not in told
    assert "env" not in entry(Settings())


OTHERS: dict[str, Any] = {
    "home": Path("/srv/clause"), "mode": "full", "tools": "ask", "mcp_tokens": 4000, "neo4j_uri": "bolt://db:7687",
    "neo4j_user": "ann", "neo4j_database": "graph", "neo4j_timeout_s": 5.0, "neo4j_pool_size": 5,
    "neo4j_heap_mb": 2048, "embedder": "all-mpnet-base-v2", "backend": "torch", "embedder_threads": 1,
    "abstain_below": 0.5, "reader_url": "http://127.0.0.1:11434/v1", "reader_model": "small",
    "reader_timeout_s": 5.0, "token_margin": 9, "default_scope": "user:ann", "cluster_reduction": "pca",
    "insight_profiles": '{"mine": {}}', "memory_threshold": 0.8, "memory_consolidation_threshold": 9,
    "memory_decay_factor": 0.5, "memory_decay_unit_seconds": 60, "memory_enable_hybrid_search": False,
    "memory_max_clusters": 1000, "memory_when_full": "merge", "memory_fusion": "rrf", "memory_sparse_weight": 0.5,
    "memory_consolidate": False, "read_scope": "kg:films,user:ann", "periodic_jobs": False, "record_runs": False,
    "curiosity_worker": True, "conflict_limit": 0.05, "log_level": "debug",
}  # fmt: skip
NOT_THE_TOOLS: dict[str, Any] = {
    "data": Path("/srv/data"), "host": "0.0.0.0", "port": 9000, "workers": 2, "rate_limit": 5.0,
    "trusted_proxies": "10.0.0.1", "traces_url": "http://127.0.0.1:4318/v1/traces",
}  # fmt: skip
SECRETS = {"neo4j_password": SecretStr("hush"), "reader_key": SecretStr("hush"), "api_key": SecretStr("hush")}


def test_all_that_the_tools_heed_is_passed_on_and_read_as_it_was_set() -> None:
    assert {*OTHERS, *NOT_THE_TOOLS, *SECRETS} == {*Settings.model_fields}, "a new setting belongs to one of them"
    settings = Settings(**OTHERS, **NOT_THE_TOOLS, **SECRETS)
    env = entry(settings)["env"]
    assert env.keys() == {f"CLAUSE_{name.upper()}" for name in OTHERS}
    read = Settings.load(env)
    assert {name: getattr(read, name) for name in OTHERS} == OTHERS


def test_a_home_is_passed_on_as_it_is_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert entry(Settings(home=Path("here/home")))["env"]["CLAUSE_HOME"] == str(tmp_path / "here" / "home")


@pytest.mark.parametrize("there", [True, False])
def test_a_configuration_that_is_a_link_stays_one(tmp_path: Path, there: bool) -> None:
    kept, file = tmp_path / "dotfiles" / "claude.json", tmp_path / "claude.json"
    kept.parent.mkdir()
    if there:
        kept.write_text('{"theme": "dark"}')
    file.symlink_to(kept)
    plan_change("claude-code", file, Settings()).apply()
    assert file.is_symlink()
    written = json.loads(kept.read_text())
    assert (written.get("theme"), [*written["mcpServers"]]) == ("dark" if there else None, ["clause"])
    assert [one.name for one in kept.parent.glob("*.bak")] == (["claude.json.bak"] if there else [])
    assert not plan_change("claude-code", file, Settings()).needed


@pytest.mark.parametrize("text", ["{", "[]", '{"mcpServers": []}'])
def test_a_file_that_is_not_what_it_should_be_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(BadInputError, match=r"mcp\.json"):
        plan_change("cursor", file, Settings())
    assert file.read_text() == text


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_a_folder_and_bytes_that_are_no_text_are_refused_in_one_line(tmp_path: Path, client: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(b"\xff\xfe{\x00")
    with pytest.raises(BadInputError, match=r"mcp\.json cannot be read: it is not UTF-8"):
        plan_change(client, file, Settings())
    with pytest.raises(BadInputError, match="cannot be read: Is a directory"):
        plan_change(client, tmp_path, Settings())


@pytest.mark.parametrize(("client", "text"), [("cursor", '{"theme": "dark"}'), ("codex", 'theme = "dark"')])
def test_a_mark_of_byte_order_is_no_fault(tmp_path: Path, client: str, text: str) -> None:
    file = tmp_path / "settings"
    file.write_text(text, encoding="utf-8-sig")
    plan_change(client, file, Settings()).apply()
    written = (json if client == "cursor" else tomllib).loads(file.read_text(encoding="utf-8"))
    assert written["theme"] == "dark"
    assert len(written) == 2


def test_a_folder_that_cannot_be_written_to_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    change = plan_change("cursor", tmp_path / "file2" / "mcp.json", Settings())
    (tmp_path / "file2").write_text("in the way")
    with pytest.raises(SettingsError, match="cannot be written"):
        change.apply()


def test_each_client_keeps_its_servers_in_its_own_place() -> None:
    home = {"HOME": "/home/ann", "APPDATA": "/appdata"}
    places = {usual_place("claude-desktop", home, system).as_posix() for system in ("darwin", "linux", "win32")}
    assert places == {
        "/home/ann/Library/Application Support/Claude/claude_desktop_config.json",
        "/home/ann/.config/Claude/claude_desktop_config.json",
        "/appdata/Claude/claude_desktop_config.json",
    }
    assert usual_place("claude-code", home).as_posix() == "/home/ann/.claude.json"
    assert usual_place("vscode", home, "linux").as_posix() == "/home/ann/.config/Code/User/mcp.json"
    assert usual_place("codex", home).as_posix() == "/home/ann/.codex/config.toml"
    assert usual_place("codex", {**home, "CODEX_HOME": "/srv/codex"}).as_posix() == "/srv/codex/config.toml"
    with pytest.raises(BadInputError):
        usual_place("emacs", home)


def test_vs_code_has_servers_of_its_own_name(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"inputs": [], "servers": {"other": {"url": "x"}}}')
    plan_change("vscode", file, Settings()).apply()
    written = json.loads(file.read_text())
    assert set(written) == {"inputs", "servers"}
    assert (written["servers"]["other"], written["servers"]["clause"]["type"]) == ({"url": "x"}, "stdio")
    assert not plan_change("vscode", file, Settings()).needed


CODEX = """# my own words
model = "o9"  # stays

[mcp_servers.other]
command = "x"

[mcp_servers.clause]
command = "old"

[mcp_servers.clause.env]
OLD = "1"

[tools]
web = true
"""


@pytest.mark.parametrize(
    "before", [None, "", "model = 'o9'", CODEX, CODEX + "\n[mcp_servers.clause_two]\ncommand = 'y'\n"]
)
def test_codex_has_a_table_and_its_other_lines_stay(tmp_path: Path, before: str | None) -> None:
    file = tmp_path / "config.toml"
    if before is not None:
        file.write_text(before)
    settings = Settings(mode="full", home=tmp_path / 'a "quoted" home')
    plan_change("codex", file, settings).apply()
    written = tomllib.loads(file.read_text())
    assert written["mcp_servers"]["clause"] == entry(settings, "codex")
    assert written["mcp_servers"]["clause"]["env"]["CLAUSE_HOME"] == str(settings.home)
    rest = tomllib.loads(before or "")
    for table in (written, rest):
        table.get("mcp_servers", {}).pop("clause", None)
    assert {name: value for name, value in written.items() if value} == rest
    assert all(line in file.read_text() for line in (before or "").splitlines() if line.startswith(("#", "model")))
    assert not plan_change("codex", file, settings).needed


AROUND = """model = "o9"  # stays \u2028 in one line

[mcp_servers.clause]
command = "old"  # goes with it
# OLD = "0"

[mcp_servers.clause.env]
OLD = "1"

# all about
# my tools

[tools]
web = true
"""
NOTED = AROUND[AROUND.index("\n# all") :]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("last", ["", "\n# the last word"], ids=["table", "comment"])
def test_codex_keeps_the_comments_of_the_next_table_and_its_ends_of_lines(tmp_path: Path, end: str, last: str) -> None:
    file = tmp_path / "config.toml"
    before = (AROUND + last).replace("\n", end)
    file.write_bytes(before.encode())
    plan_change("codex", file, Settings()).apply()
    after = file.read_bytes().decode()
    first = before.partition("[")[0]
    assert after.startswith(first + (NOTED + last).replace("\n", end) + end)
    assert "OLD" not in after
    assert after.count("\n") == after.count(end)
    assert (tmp_path / "config.toml.bak").read_bytes().decode() == before
    assert not plan_change("codex", file, Settings()).needed


def test_codex_keeps_a_comment_behind_our_table(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[mcp_servers.clause]\ncommand = "old"\n\n# my last word')
    plan_change("codex", file, Settings()).apply()
    assert "# my last word\n\n[mcp_servers.clause]\n" in file.read_text()


@pytest.mark.parametrize("text", ["[mcp_servers", "mcp_servers = 3", "mcp_servers = {clause = {command = 'x'}}"])
def test_a_codex_file_that_cannot_take_a_table_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(BadInputError):
        plan_change("codex", file, Settings())
    assert file.read_text() == text
