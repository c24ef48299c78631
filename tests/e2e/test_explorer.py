"""The explorer at / in a real headless Chromium, driven by keyboard; pictures are kept among the artefacts."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import neo4j
import pytest
from playwright.async_api import Browser, Route, expect

from clause.graph.wire import Address
from tests.e2e.chromium import Watched, chromium, explorer_of, watch
from tests.e2e.conftest import CLIMATE, MARINA, SCOPE, coordinated

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


GRAPH = """document.getElementById("picture")._cyreg.cy"""


async def drawn(watched: Watched, of: str) -> list[str]:
    """The names (of nodes) or types (of relationships) that the picture shows, by a selector of its own."""
    script = f"{GRAPH}.elements({of!r}).map(one => one.isNode() ? one.data('name') : one.data('relation')).sort()"
    found: list[str] = await watched.page.evaluate(script)
    return found


async def choose(watched: Watched, scope: str) -> None:
    """Tick a scope in the picker by keyboard."""
    page = watched.page
    await page.locator("#scopes").press("Enter")
    await page.get_by_role("checkbox", name=scope, exact=True).press("Space")
    await page.get_by_role("checkbox", name=scope, exact=True).press("Escape")
    await expect(page.locator("#scopes b")).to_have_text(scope)


async def ask(watched: Watched, question: str, *, scopes: str = SCOPE) -> None:
    """Choose a scope, type and press enter; nothing is clicked."""
    page = watched.page
    await choose(watched, scopes)
    await page.get_by_role("textbox", name="Question").fill(question)
    await page.get_by_role("textbox", name="Question").press("Enter")


async def answered(watched: Watched) -> None:
    await expect(watched.page.locator("#result")).to_be_visible()
    await expect(watched.page.locator("body")).not_to_have_attribute("aria-busy", "true")


async def test_a_question_is_answered_drawn_and_explained(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "what films did Ken Loach direct")
    await answered(explorer)
    assert {"Kes", "Riff-Raff"} <= set(re.findall(r"Kes|Riff-Raff", await page.locator("#answers").inner_text()))
    assert len(await drawn(explorer, "node.there")) >= 4
    assert set(await drawn(explorer, "edge.there")) == {"directed_by"}
    assert await drawn(explorer, "node.seed") == ["Ken Loach"]
    assert {"Kes", "Riff-Raff"} <= set(await drawn(explorer, "node.answer"))
    await explorer.photograph("explorer-answer")


async def test_the_walk_goes_step_by_step_by_keyboard(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "what films did Ken Loach direct")
    await answered(explorer)
    last = int(str(await page.locator("#place").get_attribute("max")))
    assert last >= 6
    await page.get_by_role("button", name="First step").press("Enter")
    assert (await page.locator("#told").inner_text()).startswith(f"0 / {last} Start at Ken Loach")
    assert await drawn(explorer, "edge.there") == []
    assert await page.locator("#evidence li:not(.waiting)").count() == 0
    await page.get_by_role("button", name="Next step").press("Enter")
    assert "SubgraphArchitect adds" in await page.locator("#told").inner_text()
    assert await drawn(explorer, "edge.touched")
    await explorer.photograph("explorer-step")
    await page.locator("#place").press("End")
    assert "ContextCurator stops" in await page.locator("#told").inner_text()
    assert await page.locator("#steps button[aria-current=step]").count() == 1
    await page.get_by_text("All steps").press("Enter")
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
    await page.locator("#more summary").press("Enter")
    slider = page.get_by_role("slider", name="Tokens")
    await slider.press("Home")
    await expect(page.get_by_role("meter", name="Tokens spent")).to_have_attribute("aria-valuemax", "100")
    assert "token_budget=100" in page.url
    asked = [address for address in explorer.asked if address.endswith("/api/clause/coordinate")]
    assert len(asked) == 2


async def test_an_address_with_a_question_asks_it(browser: Browser, service: str) -> None:
    watched = await watch(browser, width=390, height=844)
    await watched.page.goto(f"{service}/#q=who+directed+Kes&scopes={SCOPE}&edge_budget=20")
    await answered(watched)
    assert "Ken Loach" in await watched.page.locator("#answers").inner_text()
    assert await watched.page.get_by_role("meter", name="Edges spent").get_attribute("aria-valuemax") == "20"
    wide = await watched.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    await watched.photograph("explorer-narrow")
    await watched.page.context.close()


async def test_what_the_service_refuses_is_told_at_its_field_and_leaves_no_answer(
    explorer: Watched, service: str
) -> None:
    page = explorer.page
    await ask(explorer, "who directed Kes")
    await answered(explorer)
    assert "proved" in await page.locator("#reason").inner_text()
    await page.goto(f"{service}/#q=who+directed+Kes&scopes=kg:nowhere")
    await expect(page.get_by_role("alert")).to_contain_text("nothing is stored in scope 'kg:nowhere'")
    assert await page.locator("#scopes").get_attribute("aria-invalid") == "true"
    assert await page.evaluate("document.activeElement.id") == "scopes"
    await expect(page.locator("#result")).to_be_hidden()
    assert await page.locator("#answers li, #reason:not(:empty)").count() == 0
    await page.go_back()
    await answered(explorer)
    await expect(page.get_by_role("alert")).to_be_empty()


@pytest.mark.parametrize("breaks", ["away", "failing"])
async def test_a_failed_request_leaves_no_former_answer(explorer: Watched, breaks: str) -> None:
    page = explorer.page
    await ask(explorer, "who directed Kes")
    await answered(explorer)
    if breaks == "away":
        await page.route("**/api/clause/coordinate", lambda route: route.abort())
    else:
        problem = {"title": "Service Unavailable", "detail": "the graph is away", "status": 503}
        await page.route("**/api/clause/coordinate", lambda route: route.fulfill(status=503, json=problem))
    await page.get_by_role("textbox", name="Question").fill("who directed Naked")
    await page.get_by_role("textbox", name="Question").press("Enter")
    told = "cannot be reached" if breaks == "away" else "the graph is away"
    await expect(page.get_by_role("alert")).to_contain_text(told)
    await expect(page.locator("#result")).to_be_hidden()
    assert "Ken Loach" not in await page.locator("main:visible").inner_text()
    await page.unroute("**/api/clause/coordinate")
    await page.get_by_role("textbox", name="Question").press("Enter")
    await answered(explorer)
    assert "Mike Leigh" in await page.locator("#answers").inner_text()


async def test_back_and_forward_go_from_answer_to_answer(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "who directed Kes")
    await expect(page.locator("#asked")).to_have_text("who directed Kes")
    await page.get_by_role("textbox", name="Question").fill("who directed Naked")
    await page.get_by_role("textbox", name="Question").press("Enter")
    await expect(page.locator("#asked")).to_have_text("who directed Naked")
    await page.go_back()
    await expect(page.locator("#asked")).to_have_text("who directed Kes")
    assert await page.get_by_role("textbox", name="Question").input_value() == "who directed Kes"
    assert "Ken Loach" in await page.locator("#answers").inner_text()
    await page.go_forward()
    await expect(page.locator("#asked")).to_have_text("who directed Naked")


async def test_examples_of_a_scope_are_offered_and_answered(explorer: Watched) -> None:
    page = explorer.page
    await choose(explorer, MARINA)
    example = page.locator("#examples a").first
    words = await example.inner_text()
    await example.press("Enter")
    await expect(page.locator("#asked")).to_have_text(words)
    assert "No answer" not in await page.locator("#reason").inner_text()


async def test_examples_of_other_scopes_are_gone_while_those_of_a_scope_are_read(explorer: Watched) -> None:
    page, wanted = explorer.page, asyncio.Event()

    async def late(route: Route) -> None:
        await wanted.wait()
        await route.continue_()

    await expect(page.locator("#examples a").first).to_be_attached()
    await page.route("**/api/scopes/examples*", late)
    await choose(explorer, MARINA)
    await expect(page.locator("#examples a")).to_have_count(0)
    wanted.set()
    await expect(page.locator("#examples a").first).to_have_attribute("href", re.compile("marina"))


def runs(http: httpx.Client) -> int:
    return len(http.get("/api/clause/runs", params={"limit": 100}).json()["items"])


async def test_a_run_of_the_history_is_shown_as_it_was_answered(explorer: Watched, http: httpx.Client) -> None:
    page = explorer.page
    question = "which films did Mike Leigh direct"
    coordinated(http, question, SCOPE)
    before = runs(http)
    await page.get_by_role("link", name="Runs").press("Enter")
    await page.locator("#lines a").filter(has_text=question).first.press("Enter")
    await expect(page.locator("#status")).to_contain_text("As it was answered on")
    await expect(page.locator("#status")).to_contain_text("Decided by learned.")
    assert "Naked" in await page.locator("#answers").inner_text()
    assert await page.locator("#steps li").count() >= 3
    assert runs(http) == before
    await page.go_back()
    await expect(page.locator("#view-title")).to_have_text("Runs")


async def test_a_node_is_expanded_and_a_type_is_hidden(explorer: Watched) -> None:
    page = explorer.page
    await ask(explorer, "who is the skipper of Sea Lark", scopes=MARINA)
    await answered(explorer)
    before = await drawn(explorer, "node")
    assert await drawn(explorer, ".grown") == []
    await page.locator("#picture").press("End")
    for _ in range(5):  # what the answer shows may be all there is around one node, but not around five
        await page.keyboard.press("Enter")
        await expect(page.locator("#node")).to_contain_text("ore")  # more relationships, or nothing more
        if await drawn(explorer, "edge.grown"):
            break
        await page.keyboard.press("End")
    grown = await drawn(explorer, "edge.grown")
    assert grown
    assert set(await drawn(explorer, "node")) >= set(before)
    await page.locator("#legend").get_by_role("button", name=grown[0], exact=True).press("Enter")
    for _ in range(100):  # the picture is drawn anew in its own time
        if grown[0] not in await drawn(explorer, "edge:visible"):
            break
        await page.wait_for_timeout(50)
    assert grown[0] not in await drawn(explorer, "edge:visible")
    await page.locator("#legend").get_by_role("button", name=grown[0], exact=True).press("Enter")
    for _ in range(100):
        if grown[0] in await drawn(explorer, "edge:visible"):
            break
        await page.wait_for_timeout(50)
    assert grown[0] in await drawn(explorer, "edge:visible")
    await explorer.photograph("explorer-expanded")


async def test_an_answer_is_kept_as_picture_json_and_cypher(
    explorer: Watched, served_address: Address, tmp_path: Path
) -> None:
    page = explorer.page
    await ask(explorer, "who directed Kes")
    await answered(explorer)
    kept: dict[str, bytes] = {}
    for kind in ("picture", "JSON", "Cypher"):
        async with page.expect_download() as download:
            await page.get_by_role("button", name=kind, exact=True).press("Enter")
        path = tmp_path / kind
        await (await download.value).save_as(path)
        kept[kind] = path.read_bytes()
    assert kept["picture"].startswith(b"\x89PNG")
    assert len(kept["picture"]) > 3000
    told = json.loads(kept["JSON"])
    assert told["response"]["result"]["answers"][0]["name"] == "Ken Loach"
    assert told["run"]["query"] == "who directed Kes"
    statement = kept["Cypher"].decode()
    assert "MERGE" in statement
    assert "`directed_by`" in statement


async def test_exported_cypher_makes_odd_names_and_nothing_else(explorer: Watched, served_address: Address) -> None:
    """Names that try to leave their quotes are written as they are; what is made is rolled back."""
    names = {"a": "O'Brien \\' }) DETACH DELETE n //", "b": "two\nlines", "c": "\\"}
    edges = [["a", "says `]-() //", "b"], ["b", "u\\u0060x", "c"]]
    script = """async ([edges, names]) => {
        const { cypherOf } = await import("/explorer/saved.js");
        return cypherOf("q\\n//x", edges, (id) => names[id]);
    }"""
    statement = await explorer.page.evaluate(script, [edges, names])
    body = statement.rstrip().rstrip(";")
    password = served_address.password.get_secret_value()
    driver = neo4j.GraphDatabase.driver(served_address.uri, auth=(served_address.user, password))
    with driver, driver.session() as session, session.begin_transaction() as transaction:
        counters = transaction.run(body).consume().counters
        rows = transaction.run(
            "MATCH (n:Entity)-[r]->(m) WHERE n.id IN ['a', 'b'] RETURN n.name AS name, type(r) AS type"
        )
        found = sorted((row["name"], row["type"]) for row in rows)
        transaction.rollback()
    assert (counters.nodes_created, counters.relationships_created, counters.nodes_deleted) == (3, 2, 0)
    assert found == sorted([(names["a"], "says `]-() //"), (names["b"], "u`x")])


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
    await page.locator("#picture").focus()
    before = await page.locator("#node").inner_text()
    assert before.startswith("Ken Loach (start)")
    await page.keyboard.press("ArrowRight")
    after = await page.locator("#node").inner_text()
    assert after != before
    assert await drawn(explorer, "node.pointed") == [after.split(":")[0].removesuffix(" (answer)")]
    assert await drawn(explorer, "edge.pointed")


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


@pytest.mark.parametrize("way", ["columns", "rings", "springs"])
async def test_no_two_nodes_stand_in_one_place(explorer: Watched, way: str) -> None:
    script = """async ([size, way]) => {
        const { Picture } = await import("/explorer/graph.js");
        const holder = document.createElement("div");
        holder.style.width = holder.style.height = "600px";
        document.body.append(holder);
        const nodes = Array.from({ length: size }, (_, i) => `n${i}`);
        const edges = new Map(nodes.slice(1).map((node, i) => [`e${i}`, [node, "r", nodes[(i * 7) % (i + 1)]]]));
        edges.set("self", ["n0", "self", "n0"]);
        const picture = new Picture(
            holder, { edges, seeds: ["n0", "unknown"], answers: new Set(), nameOf: (id) => id }, () => {});
        picture.place(way);
        const at = picture.cy.nodes().map((node) => node.renderedPosition());
        const inside = at.every(({ x, y }) => x > 0 && x < 600 && y > 0 && y < 600);
        const places = new Set(at.map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`)).size;
        picture.close();
        holder.remove();
        return { places, inside };
    }"""
    for size in (1, 2, 60, 150):
        assert await explorer.page.evaluate(script, [size, way]) == {"places": size, "inside": True}
