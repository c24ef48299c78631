from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clause import __version__
from clause.graph.scopes import parse_scope
from clause.mcp_bridge.server import offered

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "plugin"
SKILLS = ("using-clause", "query-knowledge", "capture-insight", "review-tensions", "retro")
WORDS = {"belief_id", "candidate_distance", "client_session_id", "domain_filter", "entity_id", "next_cursor"}


def test_the_manifest_names_this_version() -> None:
    assert json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())["version"] == __version__
    (listed,) = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
    assert (ROOT / listed["source"]).resolve() == PLUGIN


def test_the_server_is_started_by_its_command() -> None:
    servers = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]
    told = {"CLAUSE_MODE": "${CLAUSE_MODE:-full}"}  # the skills use tools of every mode; mcp.py adds the scope
    script = "${CLAUDE_PLUGIN_ROOT}/hooks/mcp.py"
    assert servers == {"clause": {"command": "python3", "args": ["-S", script], "env": told}}
    assert (PLUGIN / script.partition("/")[2]).is_file()


def started(folder: Path, **told: str) -> list[str]:
    """The arguments and the default scope of `clause`, as the plugin starts it; a script stands in for it."""
    folder = folder / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "clause").write_text('#!/bin/sh\nprintf "%s\\n" "$*" "$CLAUSE_DEFAULT_SCOPE"\n', encoding="utf-8")
    (folder / "clause").chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name not in {"USER", "CLAUSE_DEFAULT_SCOPE"}}
    environment |= {"PATH": f"{folder}:{os.environ['PATH']}", **told}
    command = [sys.executable, "-S", str(PLUGIN / "hooks" / "mcp.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("told", "scope"),
    [
        ({"USER": "ann"}, "user:ann"),
        ({}, "user:me"),
        ({"USER": ""}, "user:me"),
        ({"USER": "DOMAIN\\ann"}, "user:DOMAIN-ann-[0-9a-f]{8}"),
        ({"USER": "Ann Lee"}, "user:Ann-Lee-[0-9a-f]{8}"),
        ({"USER": "ann", "CLAUSE_DEFAULT_SCOPE": ""}, "user:ann"),
        ({"USER": "ann", "CLAUSE_DEFAULT_SCOPE": "user:team"}, "user:team"),
    ],
)
def test_tools_write_in_a_well_formed_scope_of_the_user_or_in_the_one_that_is_set(
    tmp_path: Path, told: dict[str, str], scope: str
) -> None:
    arguments, default = started(tmp_path, **told)
    assert arguments == "mcp"
    assert re.fullmatch(scope, default)
    assert parse_scope(default).text != "public"


def test_without_the_command_the_plugin_says_so_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-S", str(PLUGIN / "hooks" / "mcp.py")]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": str(tmp_path)}, timeout=60, check=False)
    assert done.returncode == 1
    assert re.fullmatch(r"clause cannot be started: .*PATH\?\n", done.stderr)


def test_every_hook_runs_a_script_that_is_there() -> None:
    for groups in json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"].values():
        command = groups[0]["hooks"][0]["command"]
        (script,) = re.findall(r'"\$\{CLAUDE_PLUGIN_ROOT\}/([^"]+)"', command)
        assert (PLUGIN / script).is_file()


@pytest.mark.parametrize("skill", SKILLS)
def test_a_skill_says_when_to_use_it_and_names_only_tools_that_exist(skill: str) -> None:
    text = (PLUGIN / "skills" / skill / "SKILL.md").read_text()
    head, body = text.split("---\n", 2)[1:]
    fields = dict(line.split(": ", 1) for line in head.strip().splitlines())
    assert fields["name"] == skill
    assert "Use " in fields["description"]
    assert len(fields["description"]) < 1024
    tools = {tool.name for tool in offered("full")}
    families = {name.split("_")[0] for name in tools}
    named = {name for name in re.findall(r"`([a-z]+_[a-z_]+)`", body) if name.split("_")[0] in families}
    assert named - WORDS <= tools


def test_there_are_no_other_skills() -> None:
    assert {path.name for path in (PLUGIN / "skills").iterdir()} == set(SKILLS)


@pytest.mark.parametrize("target", ["plugin", "."])
def test_the_clients_own_validator_accepts_it(target: str, tmp_path: Path) -> None:
    client = shutil.which("claude")
    if client is None:
        pytest.skip("the client is not installed")
    done = subprocess.run(
        [client, "plugin", "validate", str(ROOT / target)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"HOME": str(tmp_path), "PATH": str(Path(client).parent) + ":/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
