"""The configuration of clients: where each keeps its servers, and how ours is added without touching the rest."""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from clause.errors import BadInputError, SettingsError
from clause.settings import Settings

NAME = "clause"
CLIENTS = ("claude-code", "claude-desktop", "cursor", "vscode", "codex")
_SERVERS = {"vscode": "servers"}
_TABLE = "mcp_servers"
_NOT_OF_TOOLS = frozenset(["data", "host", "port", "workers", "rate_limit", "trusted_proxies", "traces_url"])


@dataclass(frozen=True)
class ConfigurationChange:
    """A change to one file; nothing is written before `apply`."""

    path: Path
    before: str
    after: str

    @property
    def needed(self) -> bool:
        """False where the file says so already."""
        return self.before != self.after

    def shown(self) -> str:
        """The change as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), f"{self.path} (now)", f"{self.path} (then)", lineterm=""
        )
        return "\n".join(lines) or f"{self.path} needs no change"

    def apply(self) -> None:
        """Write the file, whole or not at all; what was there before stays beside it as `.bak`.

        Raises:
            SettingsError: the folder cannot be written to.
        """
        try:
            path = self.path.resolve()  # a link stays one
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f"{path.name}.new")
            fresh.touch(mode=0o600)
            fresh.write_bytes(self.after.encode())  # with the ends of lines that it has
            if path.exists():
                shutil.copy2(path, path.with_name(f"{path.name}.bak"))
                shutil.copymode(path, fresh)
            fresh.replace(path)
        except OSError as error:
            raise SettingsError(f"{self.path} cannot be written: {error.strerror}", field="file") from error


def plan_change(
    client: str, file: Path | None, settings: Settings, environ: Mapping[str, str] = os.environ
) -> ConfigurationChange:
    """The change of the configuration by which `client` starts our server.

    Args:
        client: one of CLIENTS.
        file: its configuration; its usual place unless given.
        settings: what differs from the defaults is passed on, but for what only `clause serve` uses, and for secrets,
            which the client's own environment has.
        environ: where CLAUSE_* and the client's folders are looked up.

    Raises:
        BadInputError: the client is unknown, or its file cannot be read, or is no JSON object (Codex: no TOML).
    """
    path = (file or usual_place(client, environ)).expanduser()
    try:
        before = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "it is not UTF-8")
        raise BadInputError(f"{path} cannot be read: {reason}", remedy="mend the file first", field="file") from error
    wanted = entry(settings, client)
    after = _with_table(before, path, wanted) if client == "codex" else _with_member(before, path, client, wanted)
    return ConfigurationChange(path, before, after)


def _with_member(before: str, path: Path, client: str, wanted: dict[str, Any]) -> str:
    """JSON with our server among the others."""
    configuration = _parsed(before, path)
    member = _SERVERS.get(client, "mcpServers")
    servers = configuration.setdefault(member, {})
    if not isinstance(servers, dict):
        raise BadInputError(f"{member} in {path} is no object", remedy="mend the file first", field="file")
    if servers.get(NAME) == wanted:
        return before
    servers[NAME] = wanted
    return json.dumps(configuration, ensure_ascii=False, indent=2) + "\n"


def _with_table(before: str, path: Path, wanted: dict[str, Any]) -> str:
    """TOML with our table at its end; every other line stays as it is, comments too."""
    servers = _tables(before, path).get(_TABLE, {})
    if not isinstance(servers, dict):
        raise BadInputError(f"{_TABLE} in {path} is no table", remedy="mend the file first", field="file")
    if servers.get(NAME) == wanted:
        return before
    end = "\r\n" if "\r\n" in before else "\n"
    text, loose, ours = "", "", False
    for line in re.split(r"(?<=\n)", before):
        if line.lstrip().startswith("["):
            ours = re.match(rf"\s*\[{_TABLE}\.{NAME}[\].]", line) is not None
        text += "" if ours else loose + line  # blanks and comments right before another's header are that one's
        loose = loose + line if ours and not line.partition("#")[0].strip() else ""
    text = (text + loose).rstrip("\r\n")
    env = wanted.get("env", {})
    told = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in wanted.items() if key != "env"]
    told += ["", f"[{_TABLE}.{NAME}.env]"] if env else []
    told += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in env.items()]
    after = (text + end * 2 if text else "") + end.join([f"[{_TABLE}.{NAME}]", *told, ""])
    if _tables(after, path).get(_TABLE, {}).get(NAME) != wanted:
        remedy = f"add [{_TABLE}.{NAME}] by hand"
        raise BadInputError(f"our table cannot be put into {path}", remedy=remedy, field="file")
    return after


def _tables(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{path} is no TOML: {error}", remedy="mend the file first", field="file") from error


def entry(settings: Settings, client: str = "claude-code") -> dict[str, Any]:
    """The entry by which a client starts our server: this Python and this installation, whatever its PATH is."""
    told, defaults = settings.model_copy(update={"home": settings.home.absolute()}), Settings.model_construct()
    given = {
        f"CLAUSE_{name.upper()}": str(value)
        for name, value in told
        if name not in _NOT_OF_TOOLS and value != getattr(defaults, name) and not isinstance(value, SecretStr)
    }
    kind = {"type": "stdio"} if client in {"claude-code", "vscode"} else {}
    command = {"command": sys.executable, "args": ["-m", "clause.cli.main", "mcp"]}
    return {**kind, **command, **({"env": given} if given else {})}


def usual_place(client: str, environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The file in which a client keeps its servers for this user.

    >>> usual_place("cursor", {"HOME": "/home/ann"}).as_posix()
    '/home/ann/.cursor/mcp.json'
    """
    home = Path(environ.get("HOME") or Path.home())
    places = {"claude-code": home / ".claude.json", "cursor": home / ".cursor" / "mcp.json"}
    places["codex"] = Path(environ.get("CODEX_HOME") or home / ".codex") / "config.toml"
    if client in places:
        return places[client]
    if client not in CLIENTS:
        raise BadInputError(f"{client[:40]!r} is no client we know", bound=", ".join(CLIENTS))
    roaming = Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    folders = {"darwin": home / "Library" / "Application Support", "win32": roaming}
    folder = folders.get(platform, Path(environ.get("XDG_CONFIG_HOME") or home / ".config"))
    return folder / ("Code/User/mcp.json" if client == "vscode" else "Claude/claude_desktop_config.json")


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise BadInputError(f"{path} is no JSON: {error}", remedy="mend the file first", field="file") from error
    if not isinstance(found, dict):
        raise BadInputError(f"{path} is no JSON object", remedy="mend the file first", field="file")
    return found
