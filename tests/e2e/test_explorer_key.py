"""The explorer of a service that listens beyond the loopback: nobody is answered without an API key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from clause.graph.wire import Address
from clause.operations.keys import ApiKeys, key_file
from clause.settings import Settings
from tests.e2e.chromium import Watched, chromium, explorer_of
from tests.e2e.conftest import SCOPE
from tests.faults.serving import serving
from tests.servers import environ_of

pytestmark = pytest.mark.integration

NEEDED = "an API key is needed, and this is none in force"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of the guarded service."""
    return tmp_path_factory.mktemp("guarded")


@pytest.fixture(scope="module")
async def token(home: Path) -> str:
    """A key that reads the small graph."""
    return (await ApiKeys(key_file(Settings(home=home))).create("explorer", [SCOPE], [])).token


@pytest.fixture(scope="module")
def guarded(served_address: Address, token: str, home: Path) -> Iterator[str]:
    """The URL, on the loopback, of a service that needs a key."""
    settings = environ_of(served_address, home, CLAUSE_HOST="0.0.0.0")
    with serving(home, settings) as url:
        yield url.replace("0.0.0.0", "127.0.0.1")


@pytest.fixture(scope="module")
async def browser(guarded: str) -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


@pytest.fixture
async def explorer(browser: Browser, guarded: str) -> AsyncIterator[Watched]:
    """The open explorer, which has found out that a key is needed and opened its field."""
    async with explorer_of(browser, guarded) as watched:
        await complained(watched, NEEDED)
        yield watched


async def ask(watched: Watched, key: str) -> None:
    """Type a key and a question and press enter; nothing is clicked."""
    page = watched.page
    if not await page.locator("#key-picker[open]").count():
        await page.locator("#key-picker summary").press("Enter")
    await page.get_by_label("API key").fill(key)
    await page.get_by_role("textbox", name="Question").fill("who directed Kes")
    await page.get_by_role("textbox", name="Question").press("Enter")


async def complained(watched: Watched, message: str) -> None:
    """The message is told, and the field of the key is marked, in sight and has the focus."""
    page = watched.page
    await expect(page.get_by_role("alert")).to_contain_text(message)
    await expect(page.locator("body")).not_to_have_attribute("aria-busy", "true")
    await expect(page.get_by_label("API key")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_label("API key")).to_be_focused()
    await expect(page.locator("#result")).to_be_hidden()


async def test_no_key_and_a_wrong_one_are_told_at_the_field_and_the_right_one_is_answered(
    explorer: Watched, token: str
) -> None:
    page = explorer.page
    await ask(explorer, "")
    await complained(explorer, NEEDED)
    await ask(explorer, f"{token[:-1]}{'a' if token[-1] != 'a' else 'b'}")
    await complained(explorer, NEEDED)
    await explorer.photograph("explorer-wrong-key")

    await ask(explorer, token)

    await expect(page.locator("#result")).to_be_visible()
    await expect(page.get_by_role("alert")).to_be_empty()
    await expect(page.locator("#answers")).to_contain_text("Ken Loach")
    assert await page.get_by_label("API key").get_attribute("aria-invalid") is None
    assert await page.locator("#steps button").count() > 1


async def test_a_key_that_no_header_holds_is_told_without_asking(explorer: Watched) -> None:
    await ask(explorer, "schlüssel → tür")
    await complained(explorer, "letters, digits")
    assert not [address for address in explorer.asked if "/coordinate" in address]


async def test_the_key_is_hidden_and_stands_nowhere_but_in_its_field(explorer: Watched, token: str) -> None:
    page = explorer.page
    await ask(explorer, token)
    await expect(page.locator("#result")).to_be_visible()
    assert await page.get_by_label("API key").get_attribute("type") == "password"
    assert token not in page.url
    assert not [address for address in explorer.asked if token in address]
    stored = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")
    assert token not in stored


async def test_a_scope_that_the_key_does_not_open_is_told_at_its_field(explorer: Watched, token: str) -> None:
    page = explorer.page
    await page.evaluate("location.hash = 'scopes=user:somebody'")
    await ask(explorer, token)
    await expect(page.get_by_role("alert")).to_contain_text("user:somebody")
    await expect(page.locator("#result")).to_be_hidden()


async def test_scopes_that_are_listed_late_take_no_newer_refusal_back(explorer: Watched, token: str) -> None:
    page, told = explorer.page, asyncio.Event()

    async def late(route: Route) -> None:
        await told.wait()
        await route.continue_()

    await page.route("**/api/scopes", late)
    await page.evaluate("location.hash = 'scopes=user:somebody'")
    await ask(explorer, token)
    await expect(page.get_by_role("alert")).to_contain_text("user:somebody")
    told.set()
    await expect(page.get_by_role("checkbox", name=SCOPE, exact=True)).to_be_attached()
    await expect(page.get_by_role("alert")).to_contain_text("user:somebody")
