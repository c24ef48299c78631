"""The explorer at / in a real headless Chromium, driven by keyboard; pictures are kept among the artefacts."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.e2e.chromium import Watched, chromium, explorer_of, watch
from tests.e2e.conftest import CLIMATE, SCOPE

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
async def browser(service: str) -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


@pytest.fixture
async def explorer(browser: Browser, service: str) -> AsyncIterator[Watched]:
    """The open explorer."""
    async with explorer_of(browser, service) as watched:
        yield watched


async def ask(watched: Watched, question: str, *, scopes: str = SCOPE) -> None:
    """Type and press enter; nothing is clicked."""
    page = watched.page
    await page.locator("#more summary").press("Enter")
    await page.get_by_role("textbox", name="Scopes").fill(scopes)
    await page.get_by_role("textbox", name="Question").fill(question)
    await page.get_by_role("textbox", name="Question").press("Enter")


async def answered(watched: Watched) -> None:
    await expect(watched.page.locator("#result")).to_be_visible(timeout=60_000)
    await expect(watched.page.locator("body")).not_to_have_attribute("aria-busy", "true")


async def test_a_question_is_answered_drawn_and_explained(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "what films did Ken Loach direct")
    await answered(explorer)
    assert {"Kes", "Riff-Raff"} <= set(re.findall(r"Kes|Riff-Raff", await page.locator("#answers").inner_text()))
    nodes = page.locator("#picture g.node.there")
    assert await nodes.count() >= 4
    assert await page.locator("#picture path.edge.there").count() >= 3
    names = await page.locator("#picture g.node.seed text.name").all_text_contents()
    assert "Ken Loach" in names
    assert await page.locator("#picture text.relation.there").all_text_contents() == ["directed_by"]
    await explorer.photograph("explorer-answer")


async def test_the_walk_goes_step_by_step_by_keyboard(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "what films did Ken Loach direct")
    await answered(explorer)
    last = int(str(await page.locator("#place").get_attribute("max")))
    assert last >= 6
    await page.get_by_role("button", name="First step").press("Enter")
    assert (await page.locator("#told").inner_text()).startswith(f"0 / {last} Start at Ken Loach")
    assert await page.locator("#picture path.edge.there").count() == 0
    assert await page.locator("#evidence li:not(.waiting)").count() == 0
    await page.get_by_role("button", name="Next step").press("Enter")
    assert "SubgraphArchitect adds" in await page.locator("#told").inner_text()
    assert await page.locator("#picture path.edge.touched").count() >= 1
    await explorer.photograph("explorer-step")
    await page.locator("#place").press("End")
    assert "ContextCurator stops" in await page.locator("#told").inner_text()
    assert await page.locator("#steps button[aria-current=step]").count() == 1
    await page.locator("#steps button").nth(1).press("Enter")
    assert (await page.locator("#told").inner_text()).startswith("1 /")


async def test_a_question_is_said_back_and_another_reading_is_one_key_away(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "Does deforestation cause climate change?", scopes=CLIMATE)
    await answered(explorer)
    first = await page.locator("#readings q").inner_text()
    await explorer.photograph("explorer-readings")
    other = page.locator("#readings button").first
    words = (await other.inner_text()).removeprefix("or: ")
    await other.press("Enter")
    await expect(page.locator("#readings q")).not_to_have_text(first)
    assert words.startswith(await page.locator("#readings q").inner_text())


async def test_a_source_is_switched_off_and_the_answer_without_it_stands_beside(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "what films did Ken Loach direct")
    await answered(explorer)
    await page.locator("#without summary").press("Enter")
    switch = page.get_by_role("checkbox", name="Riff-Raff directed by Ken Loach.")
    await switch.press("Space")
    await expect(page.locator("#otherwise .went")).to_contain_text("gone: Riff-Raff")
    assert "Kes" in await page.locator("#otherwise ol").inner_text()
    assert "Riff-Raff" in await page.locator("#answers").inner_text()
    await explorer.photograph("explorer-without")
    await switch.press("Space")
    await expect(page.locator("#otherwise")).to_be_empty()
    await page.get_by_role("checkbox", name="source films.txt").press("Space")
    await expect(page.locator("#otherwise")).to_contain_text("Without it there is no answer")


async def test_evidence_tells_where_it_comes_from(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "who directed Kes")
    await answered(explorer)
    first = page.locator("#evidence li").first
    assert "Kes directed by Ken Loach." in await first.inner_text()
    await first.locator("summary").press("Enter")
    told = await first.locator("dl").inner_text()
    for word in ("Source", "films.txt", "Reputation", "Recency", "ContextCurator"):
        assert word in told
    assert await page.locator("#edges tr").count() >= 1


async def test_the_receipt_is_bars_with_words(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "who directed Kes")
    await answered(explorer)
    meters = page.get_by_role("meter")
    assert await meters.count() == 3
    for name, bound in (("Edges spent", 50), ("Steps spent", 10), ("Tokens spent", 2048)):
        meter = page.get_by_role("meter", name=name)
        spent = int(str(await meter.get_attribute("aria-valuenow")))
        assert 0 < spent <= bound == int(str(await meter.get_attribute("aria-valuemax")))
        width = await meter.locator(".so-far").evaluate("bar => parseFloat(bar.style.width)")
        assert width == pytest.approx(100 * spent / bound, abs=0.01)


async def test_moving_a_budget_asks_again_and_stands_in_the_address(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "what films did Ken Loach direct")
    await answered(explorer)
    slider = page.get_by_role("slider", name="Tokens")
    await slider.press("Home")
    await expect(page.get_by_role("meter", name="Tokens spent")).to_have_attribute("aria-valuemax", "100")
    assert "token_budget=100" in page.url
    asked = [address for address in explorer.asked if address.endswith("/api/clause/coordinate")]
    assert len(asked) == 2


async def test_an_address_with_a_question_asks_it(browser: Browser, service: str) -> None:
    watched = await watch(browser, width=420)
    await watched.page.goto(f"{service}/#q=who+directed+Kes&scopes={SCOPE}&edge_budget=20")
    await answered(watched)
    assert "Ken Loach" in await watched.page.locator("#answers").inner_text()
    assert await watched.page.get_by_role("meter", name="Edges spent").get_attribute("aria-valuemax") == "20"
    wide = await watched.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 420
    await watched.photograph("explorer-narrow")
    await watched.page.context.close()


async def test_what_the_service_refuses_is_told_at_its_field(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "who directed Kes", scopes="kg:nowhere")
    await expect(page.get_by_role("alert")).to_contain_text("nothing is stored in scope 'kg:nowhere'")
    assert await page.get_by_role("textbox", name="Scopes").get_attribute("aria-invalid") == "true"
    assert await page.evaluate("document.activeElement.id") == "scopes"
    await page.get_by_role("textbox", name="Scopes").fill(SCOPE)
    await page.get_by_role("textbox", name="Scopes").press("Enter")
    await answered(explorer)
    await expect(page.get_by_role("alert")).to_be_empty()


async def test_no_answer_says_why(explorer: Watched) -> None:
    await ask(explorer, "zzqx wvvk jjy")
    await answered(explorer)
    assert "No answer: " in await explorer.page.locator("#reason").inner_text()
    assert await explorer.page.locator("#answers li").count() == 0
    assert "None was picked." in await explorer.page.locator("#evidence").inner_text()


async def test_every_control_has_a_name_and_nodes_are_reached_by_arrows(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "what films did Ken Loach direct")
    await answered(explorer)
    seen = await page.locator("body").aria_snapshot()
    for role in ("textbox", "slider", "button", "meter", "link", "heading", "region"):
        lines = [line for line in seen.splitlines() if line.strip().startswith(f"- {role}")]
        assert lines, role
        assert all(f'{role} "' in line for line in lines), lines
    start = page.locator("#picture g.node[tabindex='0']")
    assert await start.count() == 1
    await start.focus()
    before = str(await start.get_attribute("aria-label"))
    assert await page.locator("#node").inner_text() == before
    await page.keyboard.press("ArrowRight")
    after = await page.locator("#node").inner_text()
    assert after != before
    assert await page.evaluate("document.activeElement.getAttribute('aria-label')") == after
    assert await page.locator("#picture path.edge.pointed").count() >= 1


STEP: dict[str, Any] = {"edges": 0, "steps": 0, "tokens": 0, "reason": None, "left_out": None, "visited": []}
RESULT = {
    "subgraph": {"nodes": [{"id": name, "name": name.upper()} for name in "abc"], "edges": []},
    "seeds": [{"id": "a", "name": "A"}],
    "answers": [{"node": "b"}],
}


def step(index: int, agent: str, action: str, detail: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**STEP, "index": index, "agent": agent, "action": action, "detail": detail, **more}


async def test_frames_follow_every_action_of_a_run(explorer: Watched) -> None:
    first, second = ["a", "r|s", "b"], ["c", "r|s", "b"]
    run = {
        "steps": [
            step(1, "Architect", "ADD", {"edges": [first, second], "relation": "r|s", "forward": True}, edges=2),
            step(2, "Architect", "DELETE", {"edges": [second]}, edges=1),
            step(3, "Navigator", "CONTINUE", {"relation": "r|s", "forward": True}, steps=1, visited=["b"]),
            step(4, "Navigator", "BACKTRACK", {}, steps=1, visited=["a"]),
            step(5, "Curator", "PICK", {"unit": "passage-1", "kind": "passage"}, tokens=7),
            step(
                6, "Curator", "STOP", {}, reason="BUDGET_EXHAUSTED", left_out={"what": "x", "would_cost": 9, "score": 1}
            ),
        ]
    }
    script = """async ([result, run]) => {
        const { framesOf, edgesOf } = await import("/explorer/walk.js");
        const frames = framesOf(result, run);
        const told = (f) => [f.text, f.edges.size, f.touched.size, [...f.here], f.picked, f.spent];
        return [frames.map(told), edgesOf(frames).size];
    }"""
    frames, edges = await explorer.page.evaluate(script, [RESULT, run])
    assert edges == 2
    assert [frame[1] for frame in frames] == [0, 2, 1, 1, 1, 1, 1]
    assert [frame[2] for frame in frames] == [0, 2, 1, 1, 0, 1, 0]
    assert [frame[3] for frame in frames] == [["a"], ["a"], ["a"], ["b"], ["a"], ["a"], ["a"]]
    assert frames[-1][4:] == [1, {"edges": 3, "steps": 2, "tokens": 7}]
    assert frames[-1][0] == "Curator stops: its budget is spent. Best left out: x (would cost 9)."


async def test_a_run_that_was_not_recorded_shows_its_end(explorer: Watched) -> None:
    result = {**RESULT, "subgraph": {**RESULT["subgraph"], "edges": [{"from": "a", "relation": "r", "to": "b"}]}}  # type: ignore[dict-item]
    script = """async (result) => {
        const { framesOf } = await import("/explorer/walk.js");
        return framesOf(result, null).map((f) => [f.text, f.edges.size]);
    }"""
    frames = await explorer.page.evaluate(script, result)
    assert [frame[1] for frame in frames] == [0, 1]
    assert "was not recorded" in frames[1][0]


async def test_no_two_nodes_stand_in_one_place(explorer: Watched) -> None:
    script = """async (size) => {
        const { layOut } = await import("/explorer/layout.js");
        const nodes = Array.from({ length: size }, (_, i) => `n${i}`);
        const edges = nodes.slice(1).map((node, i) => [node, "r", nodes[(i * 7) % (i + 1)]]);
        edges.push(["n0", "self", "n0"]);
        const { places, width, height } = layOut(nodes, edges, ["n0", "unknown"], (node) => node);
        const at = [...places.values()];
        return {
            places: new Set(at.map(({ x, y }) => `${x} ${y}`)).size,
            inside: at.every(({ x, y }) => x > 0 && x < width && y > 0 && y < height),
        };
    }"""
    for size in (1, 2, 60, 200):
        assert await explorer.page.evaluate(script, size) == {"places": size, "inside": True}
