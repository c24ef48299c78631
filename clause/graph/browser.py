"""Saved explorations for Neo4j Browser: the files of cypher/browse, and links that open Browser with one of them."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field

from clause.graph.catalogue import CatalogueError, cypher_folder

BROWSER_PORT = 7474
"""The address at which a Neo4j serves its Browser unless told otherwise."""
STYLE = "style.grass"
_LOOK_FOR = "Look for: "
_HEX_COLOUR = re.compile(r"#([0-9a-f]{6})\b")


class Exploration(BaseModel):
    """One saved exploration: a statement to run in Browser, and what to look for in its picture."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="the file's name without its ending")
    title: str = Field(description="what it shows")
    look_for: str = Field(description="a sentence: what there is to see")
    text: str = Field(description="the whole file, comments and all: what goes into Browser's editor")


def browse_folder() -> Path:
    """The folder of the explorations, the style and the guide."""
    return cypher_folder() / "browse"


def explorations(folder: Path | None = None) -> tuple[Exploration, ...]:
    """All explorations, by name.

    Raises:
        CatalogueError: a file does not begin with its title and what to look for.
    """
    paths = sorted((folder or browse_folder()).glob("*.cypher"))
    return tuple(parse_exploration(path.stem, path.read_text(encoding="utf-8")) for path in paths)


def parse_exploration(name: str, text: str) -> Exploration:
    """An exploration from its file's text.

    >>> parse_exploration("hubs", "// Hubs: what has most\\n// Look for: years.\\nCYPHER 25 RETURN 1").look_for
    'years.'
    """
    lines = [line.removeprefix("//").strip() for line in text.splitlines()[:2] if line.startswith("//")]
    if len(lines) < 2 or not lines[0] or not lines[1].startswith(_LOOK_FOR):
        raise CatalogueError(f"browse/{name}: it must begin with '// <title>' and '// {_LOOK_FOR}<what>'")
    return Exploration(name=name, title=lines[0], look_for=lines[1].removeprefix(_LOOK_FOR), text=text)


def browser_link(browser: str, uri: str, exploration: Exploration | None = None) -> str:
    """The address of Browser, about to connect to `uri`; with an exploration in its editor where one is given.

    >>> browser_link("http://127.0.0.1:7474/browser/", "bolt://127.0.0.1:7687")
    'http://127.0.0.1:7474/browser/?dbms=bolt://127.0.0.1:7687'
    """
    link = f"{browser}?dbms={quote(uri, safe=':/@%')}"
    return link if exploration is None else f"{link}&cmd=edit&arg={quote(exploration.text, safe='')}"


def style_link(browser: str, uri: str, folder: Path | None = None) -> str:
    """The address of Browser with our style in its editor: run once, it stays.

    Browser cuts what a link carries at the first "#", so colours are written as rgb(...) there.
    """
    style = " ".join(((folder or browse_folder()) / STYLE).read_text(encoding="utf-8").split())
    command = f":style {_HEX_COLOUR.sub(_as_rgb, style)}"
    return f"{browser_link(browser, uri)}&cmd=edit&arg={quote(command, safe='')}"


def _as_rgb(colour: re.Match[str]) -> str:
    """
    >>> _HEX_COLOUR.sub(_as_rgb, "color: #0b6f85;")
    'color: rgb(11,111,133);'
    """
    return f"rgb({','.join(str(part) for part in bytes.fromhex(colour[1]))})"


def with_user(uri: str, user: str) -> str:
    """A Bolt address that tells Browser who signs in; only the password is left to type.

    >>> with_user("bolt://127.0.0.1:7687", "neo4j")
    'bolt://neo4j@127.0.0.1:7687'
    """
    scheme, _, place = uri.partition("://")
    return f"{scheme}://{quote(user, safe='')}@{place.rpartition('@')[2]}"


def usual_browser(uri: str) -> str:
    """The address at which a server of somebody else's usually serves Browser, from its Bolt address.

    >>> usual_browser("neo4j://graph.internal:7687")
    'http://graph.internal:7474/browser/'
    """
    host = urlsplit(uri).hostname or "127.0.0.1"
    return urlunsplit(("http", f"{f'[{host}]' if ':' in host else host}:{BROWSER_PORT}", "/browser/", "", ""))
