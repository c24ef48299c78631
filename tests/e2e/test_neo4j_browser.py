"""Neo4j Browser in a real headless Chromium: sign in by a link of ours, take our style, run saved explorations.

Browser asks for fonts of its own from elsewhere; where they cannot be had it draws all the same.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from playwright.async_api import Page, expect

from clause.graph.browser import browser_link, explorations, style_link, with_user
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests.e2e.chromium import Watched, chromium, watch
from tests.e2e.conftest import SCOPE
from tests.servers import statement

pytestmark = pytest.mark.integration
SAVED = {exploration.name: exploration for exploration in explorations()}
DRAWN = ("05_the_last_answer", "06_where_evidence_comes_from", "02_how_labels_hang_together")
_LISTENS = statement("SHOW SETTINGS 'server.http.listen_address' YIELD value", mode="read", columns="value")


@pytest.fixture(scope="module")
async def browser_address(served_address: Address) -> str:
    """Where the test server serves Browser; skipped where that cannot be reached from here (a container's port)."""
    async with Graph(served_address, Catalogue.load()) as graph:
        (row,) = await graph.execute(_LISTENS, {})
    address = f"http://127.0.0.1:{row['value'].rpartition(':')[2]}/browser/"
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            (await client.get(address, follow_redirects=True)).raise_for_status()
    except httpx.HTTPError as error:
        pytest.skip(f"the test server serves no Browser that can be reached from here: {error}")
    return address


@pytest.fixture(scope="module")
async def signed_in(browser_address: str, served_address: Address, service: str) -> AsyncIterator[Watched]:
    """Browser, opened by the link that carries our style, signed in; one question has been answered before."""
    async with httpx.AsyncClient(base_url=service, timeout=60, trust_env=False) as client:
        body = {"query": "what films did Ken Loach direct", "budgets": {}, "scopes": [SCOPE]}
        run_id = (await client.post("/api/clause/coordinate", json=body)).json()["run_id"]
        (await client.get(f"/api/clause/runs/{run_id}")).raise_for_status()
    async with chromium() as browser:
        watched = await watch(browser, width=1500, height=1000)
        page = watched.page
        await page.goto(style_link(browser_address, with_user(served_address.uri, served_address.user)))
        await expect(page.get_by_test_id("username")).to_have_value(served_address.user)
        await page.get_by_test_id("password").fill(served_address.password.get_secret_value())
        await page.get_by_test_id("connect").click()
        await expect(page.get_by_text("You are connected as user")).to_be_visible()
        await page.locator(".monaco-editor").first.click()
        await page.keyboard.press("Control+Enter")
        await expect(page.locator("article", has_text=":style node")).to_be_visible()
        await expect(page.get_by_text("Could not parse grass data")).to_have_count(0)
        yield watched


async def run(page: Page, text: str) -> None:
    """Put a statement into the editor and run it."""
    await page.locator(".monaco-editor").first.click()
    await page.keyboard.press("Control+a")
    await page.keyboard.insert_text(text)
    await page.keyboard.press("Control+Enter")


@pytest.mark.parametrize("name", DRAWN)
async def test_a_saved_exploration_draws_nodes_in_our_colours(signed_in: Watched, name: str) -> None:
    page = signed_in.page
    await run(page, SAVED[name].text)
    frame = page.locator("article", has_text=SAVED[name].title[:30])
    await expect(frame.locator("g.node").first).to_be_visible()
    assert await frame.locator("g.node").count() >= 4
    colours = {await disc.get_attribute("fill") for disc in await frame.locator("circle.b-outline").all()}
    assert "rgb(43,122,61)" in colours, "Evidence has the colour of style.grass"
    await signed_in.photograph(f"browser-{name}")


async def test_a_link_opens_browser_with_the_statement_in_its_editor(
    signed_in: Watched, browser_address: str, served_address: Address
) -> None:
    page = await signed_in.page.context.new_page()
    await page.goto(browser_link(browser_address, served_address.uri, SAVED["14_hubs"]))
    await expect(page.locator(".monaco-editor").first).to_contain_text("Hubs: the entities")
    await page.close()
