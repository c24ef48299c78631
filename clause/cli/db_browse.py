"""`clause db browse`: where Neo4j Browser is, how to sign in, and what to look at there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from clause.cli.console import JsonFlag, print_json, stdout

if TYPE_CHECKING:
    from clause.settings import Settings


def browse(
    name: Annotated[str | None, typer.Argument(help="An exploration: print its statement and its link alone.")] = None,
    *,
    show_password: Annotated[bool, typer.Option("--show-password", help="Print the password itself.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Say where Neo4j Browser is, how to sign in, and which explorations are saved for it."""
    from clause.graph.browsing import browse_folder, browser_link, style_link
    from clause.settings import Settings

    browser, uri, sign_in = _server(Settings.load(), show_password)
    chosen = _chosen(name)
    links = {exploration.name: browser_link(browser, uri, exploration) for exploration in chosen}
    told: dict[str, Any] = {
        "browser": browser_link(browser, uri),
        **sign_in,
        "folder": str(browse_folder()),
        "style_link": style_link(browser, uri),
        "explorations": [{**exploration.model_dump(), "link": links[exploration.name]} for exploration in chosen],
    }
    if as_json:
        print_json(told)
    elif name is not None:
        stdout().print(f"{chosen[0].text.strip()}\n\n{links[name]}", markup=False, soft_wrap=True)
    else:
        _print(told)


def _chosen(name: str | None) -> tuple[Any, ...]:
    from clause.errors import NotFoundError
    from clause.graph.browsing import explorations

    found = explorations()
    chosen = tuple(exploration for exploration in found if name in (None, exploration.name))
    if not chosen:
        known = ", ".join(exploration.name for exploration in found)
        raise NotFoundError(f"no exploration is called {name!r}", remedy=f"one of {known}", field="name")
    return chosen


def _server(settings: Settings, show_password: bool) -> tuple[str, str, dict[str, Any]]:
    """(Browser's address, Bolt address, how to sign in) of the managed server, or of the one that the settings name."""
    from clause.errors import ServerError
    from clause.graph.browsing import usual_browser
    from clause.graph.server import ManagedServer
    from clause.graph.server.layout import USER

    if settings.neo4j_uri is not None:
        sign_in = {"user": settings.neo4j_user, "password": "yours (CLAUSE_NEO4J_PASSWORD)"}
        return usual_browser(settings.neo4j_uri), settings.neo4j_uri, sign_in
    server = ManagedServer(settings.home, settings.neo4j_heap_mb)
    state = server.status()
    if not state.running or state.browser is None or state.uri is None:
        raise ServerError(state.problem or "the local Neo4j does not run", remedy="run `clause db start`")
    sign_in = {"user": USER, "password_file": str(server.layout.password)}
    if show_password:
        sign_in["password"] = server.layout.read_password()
    return state.browser, state.uri, sign_in


def _print(told: dict[str, Any]) -> None:
    console = stdout()
    for key in ("browser", "user", "password", "password_file", "folder"):
        if key in told:
            console.print(f"{key.replace('_', ' '):<14} {told[key]}", markup=False, soft_wrap=True)
    console.print(f"{'style link':<14} {told['style_link']}", markup=False, soft_wrap=True)
    console.print("\nsaved explorations (`clause db browse NAME` prints the statement and a link that opens it)")
    for exploration in told["explorations"]:
        title, look_for = exploration["title"], exploration["look_for"]
        console.print(f"  {exploration['name']}\n    {title}\n    look for: {look_for}", markup=False, soft_wrap=True)
