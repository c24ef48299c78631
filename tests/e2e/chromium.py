"""A headless Chromium of the machine, whose pages are watched: what they ask for, and what they complain about."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

ARTEFACTS = Path(__file__).parents[2] / "artefacts"
PATIENCE_MS = 60_000  # for what never comes; a machine that does other things is slow
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def executable() -> str:
    """The browser: CLAUSE_TEST_CHROMIUM, or one on the path; the test is skipped where there is none."""
    found = os.environ.get("CLAUSE_TEST_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on this machine: install the package chromium, or name one in CLAUSE_TEST_CHROMIUM")
    return found


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A running browser; what is expected of a page may take PATIENCE_MS."""
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable(), args=list(QUIET))
        yield browser
        await browser.close()


@dataclass
class Watched:
    """A page, the addresses that it asked for, and its errors."""

    page: Page
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def foreign(self, origin: str) -> list[str]:
        """What it asked for anywhere else than at `origin`."""
        return [address for address in self.asked if not address.startswith((f"{origin}/", "data:", "blob:"))]

    async def photograph(self, name: str) -> Path:
        """Keep a picture of the whole page among the artefacts."""
        ARTEFACTS.mkdir(exist_ok=True)
        path = ARTEFACTS / f"{name}.png"
        await self.page.screenshot(path=path, full_page=True)
        return path


async def watch(browser: Browser, *, width: int = 1400, height: int = 950) -> Watched:
    """A new page in a context of its own."""
    context = await browser.new_context(viewport={"width": width, "height": height})
    page = await context.new_page()
    watched = Watched(page)
    page.on("request", lambda request: watched.asked.append(request.url))
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.on("console", lambda line: watched.errors.append(line.text) if line.type == "error" else None)
    return watched


@asynccontextmanager
async def explorer_of(browser: Browser, service: str) -> AsyncIterator[Watched]:
    """The service's explorer; at the end it has asked nobody else for anything, and complained of nothing."""
    watched = await watch(browser)
    await watched.page.goto(f"{service}/")
    yield watched
    assert watched.foreign(service) == []
    assert [error for error in watched.errors if "Failed to load resource" not in error] == []
    await watched.page.context.close()
