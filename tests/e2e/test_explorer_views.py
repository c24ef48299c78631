"""The explorer's lists beside the question, on a desk and on a phone: what a choir remembers, and how it is changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from playwright.async_api import Browser, Route, expect

from tests.e2e.chromium import Watched, chromium, watch

pytestmark = pytest.mark.integration

CHOIR = "user:e2e-choir"
BAND = "user:e2e-band"
SIZES = {"desk": (1400, 900), "phone": (390, 844)}
PEOPLE = [
    ("Ilse Brandner", "sings_in", "Harbour Choir"),
    ("Harbour Choir", "rehearses_at", "Old Customs House"),
    ("I. Brandner", "sings_in", "Harbour Choir"),
]


def post(http: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answered = http.post(path, json=body)
    assert answered.is_success, answered.text
    found: dict[str, Any] = answered.json()
    return found


def told(http: httpx.Client, path: str, **parameters: Any) -> dict[str, Any]:
    found: dict[str, Any] = http.get(path, params=parameters).json()
    return found


@pytest.fixture
def choir(http: httpx.Client) -> Iterator[dict[str, str]]:
    """What the choir knows, by what it is; forgotten afterwards."""

    def belief(content: str, **more: Any) -> str:
        found = post(http, "/api/beliefs", {"content": content, "scope": CHOIR, **more})
        return str(found["belief"]["id"])

    ids = {
        "old": belief("The choir rehearses in the town hall.", valid_from="2023-01-01T00:00:00Z"),
        "late": belief("The altos leave at nine on Thursdays."),
        "never": belief("The altos do not leave at nine on Thursdays."),
        "cake": belief("Ruth brings a plum cake to the last rehearsal."),
    }
    newer = {"content": "The choir rehearses in the old customs house.", "reason": "the hall is rebuilt"}
    ids["new"] = post(http, f"/api/beliefs/{ids['old']}/supersede", {**newer, "valid_from": "2025-06-01T00:00:00Z"})[
        "id"
    ]
    for text in ("The piano was out of tune on Tuesday.", "A tenor asked for copies of the motet."):
        post(http, "/api/memories", {"content": text, "scope": CHOIR})
    started = post(http, "/api/experiences", {
        "domain": "rehearsal", "strategy": "trial-and-error", "goal": "keep the pitch through the long motet",
        "hypothesis": "warming up longer keeps the pitch", "action": "warm up for twenty minutes",
        "prediction": "less than a quarter tone is lost", "scope": CHOIR,
    })["experience"]  # fmt: skip
    ids["tried"] = started["id"]
    ended = {"status": "confirmed", "result": "almost nothing was lost", "lesson": {"what_worked": "slow sirens"}}
    post(http, f"/api/experiences/{started['id']}/resolve", ended)
    for source, relation, target in PEOPLE:
        post(http, "/api/entities/relations",
             {"source": source, "relation": relation, "target": target, "scope": CHOIR})  # fmt: skip
    yield ids
    post(http, "/api/erasures", {"scope": CHOIR})


@pytest.fixture
def band(http: httpx.Client) -> Iterator[None]:
    """What the band knows beside the choir, and what each of them understood on one topic."""
    post(http, "/api/beliefs", {"content": "The band rehearses in a garage.", "scope": BAND})
    for scope, content in ((CHOIR, "Ilse counts aloud in the motet."), (BAND, "Ilse drums on every table.")):
        post(http, "/api/insights", {
            "topic_key": "user:ilse", "category": "user_reflection", "content": content, "salience_spent": 3.0,
            "valences": {"warmth": 0.6}, "scope": scope,
        })  # fmt: skip
    yield
    post(http, "/api/erasures", {"scope": BAND})


@pytest.fixture(scope="module")
async def browser(service: str) -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


@pytest.fixture(params=SIZES)
async def explorer(browser: Browser, service: str, request: pytest.FixtureRequest) -> AsyncIterator[Watched]:
    """The open explorer at each size; nobody else was asked, nothing was complained of, nothing stands out sideways."""
    width, height = SIZES[request.param]
    watched = await watch(browser, width=width, height=height)
    await watched.page.goto(f"{service}/#view=beliefs&scopes={CHOIR}")
    await expect(watched.page.locator("#view-title")).to_have_text("Beliefs")
    yield watched
    assert await watched.page.evaluate("document.documentElement.scrollWidth") <= width
    await watched.photograph(f"explorer-{request.node.name.split('[')[0].removeprefix('test_')}-{request.param}")
    assert watched.foreign(service) == []
    assert [error for error in watched.errors if "Failed to load resource" not in error] == []
    await watched.page.context.close()


async def view(watched: Watched, title: str, show: str | None = None) -> None:
    """Go to a list by keyboard."""
    chosen = watched.page.get_by_role("navigation", name="Views").get_by_role("link", name=title)
    await chosen.press("Enter")
    await expect(watched.page.locator("#view-title")).to_have_text(title)
    await expect(chosen).to_be_focused()
    if show:
        await watched.page.locator("#show").select_option(label=show)


async def find(watched: Watched, words: str) -> None:
    await watched.page.get_by_role("searchbox", name="Find", exact=True).fill(words)
    await watched.page.get_by_role("searchbox", name="Find", exact=True).press("Enter")


async def opened(watched: Watched, title: str) -> None:
    """Open a line of the list; its heading has the focus."""
    await watched.page.locator("#lines a").filter(has_text=title).first.press("Enter")
    await expect(watched.page.locator("#detail h3")).to_be_focused()


async def change(watched: Watched, button: str, *, preview: bool = False, **fields: str) -> str:
    """Make a change in its dialog; what the preview told."""
    page = watched.page
    dialog = page.get_by_role("dialog")
    for label, value in fields.items():
        await dialog.get_by_label(label.replace("_", " ")).fill(value)
    words = ""
    if preview:
        await expect(dialog.get_by_role("button", name=button)).to_be_disabled()
        await dialog.get_by_role("button", name="Preview").press("Enter")
        await expect(dialog.get_by_role("button", name=button)).to_be_enabled()
        words = await dialog.locator(".preview").inner_text()
    await dialog.get_by_role("button", name=button).press("Enter")
    await expect(dialog).to_be_hidden()
    return words


async def test_a_belief_tells_its_confidence_and_its_history_on_two_clocks(
    explorer: Watched, choir: dict[str, str]
) -> None:
    await explorer.page.reload()
    await opened(explorer, "old customs house")
    detail = explorer.page.locator("#detail")
    await expect(detail.locator("table")).to_contain_text("source reliability")
    clocks = detail.locator(".clocks li")
    await expect(clocks).to_have_count(2)
    assert "true from 2025-06-01" in await clocks.nth(0).inner_text()
    assert "town hall" in await clocks.nth(1).inner_text()
    assert "the hall is rebuilt" in await clocks.nth(1).inner_text()
    assert await clocks.nth(1).locator(".strip").count() == 2
    await clocks.nth(1).get_by_role("link").press("Enter")
    await expect(detail.locator("h3")).to_have_text("The choir rehearses in the town hall.")
    await explorer.page.go_back()
    await expect(detail.locator("h3")).to_contain_text("old customs house")


async def test_who_goes_back_to_the_list_stands_on_the_line_that_was_open(
    explorer: Watched, choir: dict[str, str]
) -> None:
    await explorer.page.reload()
    await opened(explorer, "old customs house")
    await explorer.page.go_back()
    await expect(explorer.page.locator("#lines a").filter(has_text="old customs house").first).to_be_focused()


async def test_a_belief_is_superseded_and_another_is_forgotten_after_a_preview(
    explorer: Watched, choir: dict[str, str], http: httpx.Client
) -> None:
    page = explorer.page
    await page.reload()
    await opened(explorer, "plum cake")
    await page.get_by_role("button", name="Supersede …").press("Enter")
    await change(
        explorer, "Supersede it", The_new_statement="Ruth brings an apple cake to the last rehearsal.", Why="no plums"
    )
    await expect(page.locator("#detail h3")).to_contain_text("apple cake")
    assert told(http, f"/api/beliefs/{choir['cake']}")["status"] == "superseded"
    await page.get_by_role("button", name="Forget …").press("Enter")
    words = await change(explorer, "Forget it", preview=True)
    assert "1 Belief" in words
    await expect(page.locator("#lines a").filter(has_text="apple cake")).to_have_count(0)


async def test_a_tension_is_settled(explorer: Watched, choir: dict[str, str], http: httpx.Client) -> None:
    page = explorer.page
    await view(explorer, "Beliefs", "Tensions")
    await opened(explorer, "altos")
    a = await page.locator("#detail p", has_text="A ").first.inner_text()
    await page.get_by_role("button", name="A is right").press("Enter")
    await change(explorer, "Settle it", Why="asked them")
    await expect(page.locator("#detail")).to_contain_text("asked them")
    kept, gone = ("never", "late") if "do not" in a else ("late", "never")
    assert told(http, f"/api/beliefs/{choir[kept]}")["status"] == "active"
    assert told(http, f"/api/beliefs/{choir[gone]}")["status"] == "superseded"


async def test_memories_are_listed_recalled_and_fade(explorer: Watched, choir: dict[str, str]) -> None:
    page = explorer.page
    await view(explorer, "Memories")
    await expect(page.locator("#above")).to_contain_text("2 memories in 2 clusters")
    await expect(page.locator("#lines li").first).to_contain_text("1 memory ·")
    await expect(page.locator("#lines")).to_contain_text("The piano was out of tune")
    await find(explorer, "was the piano in tune")
    await expect(page.locator("#lines li").first).to_contain_text("The piano was out of tune")
    await expect(page.locator("#lines li").first).to_contain_text("faded to 100 %")
    await opened(explorer, "The piano")
    await page.get_by_role("button", name="Forget …").press("Enter")
    assert "1 Memory" in await change(explorer, "Forget it", preview=True)


async def test_experiences_insights_and_jobs_are_told(
    explorer: Watched, choir: dict[str, str], http: httpx.Client
) -> None:
    page = explorer.page
    await view(explorer, "Values", "Experiences")
    await opened(explorer, "keep the pitch")
    await expect(page.locator("#detail")).to_contain_text("almost nothing was lost")
    await view(explorer, "Insights")
    await expect(page.locator("#lines")).to_contain_text("Nothing is here yet.")
    await view(explorer, "Jobs")
    job = told(http, "/api/jobs", limit=1)["items"]
    if job:
        await page.locator("#lines a").first.press("Enter")
        await expect(page.locator("#detail")).to_contain_text("Queued")


async def test_entities_are_found_walked_and_merged(
    explorer: Watched, choir: dict[str, str], http: httpx.Client
) -> None:
    page = explorer.page
    await view(explorer, "Entities")
    await expect(page.locator("#lines")).to_contain_text("Type a name above.")
    await find(explorer, "Harbour Choir")
    await opened(explorer, "Harbour Choir")
    await expect(page.locator("#detail")).to_contain_text("Old Customs House")
    await page.locator("#detail").get_by_role("link", name="Ilse Brandner", exact=True).press("Enter")
    await expect(page.locator("#detail h3")).to_have_text("Ilse Brandner")
    await page.get_by_role("button", name="Merge …").press("Enter")
    words = await change(
        explorer, "Merge them", preview=True, Name_or_id_of_the_other_one="I. Brandner", Why="one person"
    )
    assert "I. Brandner" in words
    merged = told(http, "/api/entity-merges")["items"][0]
    assert (merged["scope"], merged["reason"]) == (CHOIR, "one person")
    await page.locator("#detail").get_by_role("link", name="Ask about it").press("Enter")
    await expect(page.locator("#asking")).to_be_visible()
    await expect(page.locator("#asked")).to_contain_text("Ilse Brandner")


async def test_a_change_that_another_made_meanwhile_is_refused_and_told(
    explorer: Watched, choir: dict[str, str], http: httpx.Client
) -> None:
    page = explorer.page
    await page.reload()
    await opened(explorer, "plum cake")
    post(http, f"/api/beliefs/{choir['cake']}/supersede", {"content": "Ruth brings a nut cake to the last rehearsal."})
    await page.get_by_role("button", name="Supersede …").press("Enter")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("The new statement").fill("Ruth brings a lemon cake to the last rehearsal.")
    await dialog.get_by_role("button", name="Supersede it").press("Enter")
    await expect(dialog.get_by_role("alert")).not_to_be_empty()
    await page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()


async def test_beliefs_and_tensions_of_two_scopes_are_listed_together(
    explorer: Watched, choir: dict[str, str], band: None
) -> None:
    page = explorer.page
    await page.evaluate(f"location.hash = 'view=beliefs&scopes={CHOIR},{BAND}'")
    await expect(page.locator("#lines")).to_contain_text("The band rehearses in a garage.")
    await expect(page.locator("#lines")).to_contain_text("plum cake")
    await page.locator("#show").select_option(label="Tensions")
    await expect(page.locator("#lines")).to_contain_text("The altos leave at nine")
    await expect(page.get_by_role("alert").first).to_be_empty()


async def test_one_topic_of_two_scopes_is_opened_in_each_where_no_scope_is_chosen(
    explorer: Watched, choir: dict[str, str], band: None
) -> None:
    page = explorer.page
    lines, detail = page.locator("#lines a").filter(has_text="user:ilse"), page.locator("#detail")
    for scope, own, other in ((BAND, "drums", "counts"), (CHOIR, "counts", "drums")):
        await page.evaluate("location.hash = 'view=insights'")
        await expect(lines).to_have_count(2)
        await lines.filter(has_text=scope).press("Enter")
        await expect(detail.locator("h3")).to_have_text("user:ilse")
        await expect(detail).to_contain_text(scope)
        await expect(detail).to_contain_text(own)
        await expect(detail).not_to_contain_text(other)
        await expect(page.locator("#lines [aria-current]")).to_have_count(1)
        await page.go_back()
        await expect(lines.filter(has_text=scope)).to_be_focused()
    await expect(page.get_by_role("alert").first).to_be_empty()


async def test_clusters_of_experiences_are_those_of_the_latest_run_of_every_scope(explorer: Watched) -> None:
    page, asked = explorer.page, []
    runs = [{"id": f"r{number}", "scope": scope} for number, scope in ((4, BAND), (3, CHOIR), (2, BAND))]

    async def answer(route: Route) -> None:
        url = urlsplit(route.request.url)
        query = dict(parse_qsl(url.query))
        asked.append((url.path, query))
        if url.path.endswith("/runs"):
            after = query.get("cursor")
            items = [{"id": "r1", "scope": CHOIR}, {"id": "r0", "scope": "kg:e2e-tour"}] if after else runs
            return await route.fulfill(json={"items": items, "next_cursor": None if after else "r2"})
        if url.path.endswith("/members"):
            return await route.fulfill(json={"items": [{"id": "x", "payload": {"goal": "keep time"}}]})
        one = {"cluster_id": f"full_0@{query['run_id']}", "size": 3, "avg_weight": 0.5, "scope": query["scope"]}
        return await route.fulfill(json={"items": [one]})

    await page.route("**/api/value_clusters**", answer)
    await page.evaluate("location.hash = 'view=values&show=full'")
    await expect(page.locator("#lines .title")).to_have_text(["full_0@r4", "full_0@r3"])
    await page.locator("#more-lines").press("Enter")
    await expect(page.locator("#lines .title")).to_have_text(["full_0@r4", "full_0@r3", "full_0@r0"])
    await opened(explorer, "full_0@r3")
    await expect(page.locator("#detail")).to_contain_text("keep time")
    ((_, members),) = [one for one in asked if one[0].endswith("/members")]
    assert members["scope"] == CHOIR


async def test_dark_is_dark_and_a_list_that_fails_keeps_no_former_lines(
    explorer: Watched, choir: dict[str, str]
) -> None:
    page = explorer.page
    await page.emulate_media(color_scheme="dark")
    ground = await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert ground == "rgb(20, 25, 28)"
    await page.reload()
    await expect(page.locator("#lines")).to_contain_text("plum cake")
    await page.route("**/api/tensions*", lambda route: route.fulfill(status=503, json={"detail": "the graph is away"}))
    await page.locator("#show").select_option(label="Tensions")
    await expect(page.get_by_role("alert").first).to_contain_text("the graph is away")
    await expect(page.locator("#lines li")).to_have_count(0)
