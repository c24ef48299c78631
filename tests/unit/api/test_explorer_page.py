import re
from pathlib import Path

import pytest
from httpx import AsyncClient

from clause.api import app as explorer_page

FOLDER = Path(explorer_page.__file__).parent / "explorer"
FILES = {file.name: file.read_text(encoding="utf-8") for file in sorted(FOLDER.iterdir()) if file.is_file()}


async def test_the_root_is_the_explorer_and_may_load_from_us_alone(client: AsyncClient) -> None:
    page = await client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", FILES)
async def test_its_files_name_no_other_host_and_are_served(client: AsyncClient, name: str) -> None:
    text = FILES[name].replace("http://www.w3.org/2000/svg", "")
    assert re.findall(r"""(?:https?:)?//[\w.-]+\.\w+""", text) == []
    if name != "index.html":
        assert (await client.get(f"/explorer/{name}")).text == FILES[name]
    assert len(text.splitlines()) <= 300


@pytest.mark.parametrize("path", ["/", "/explorer/index.html", "/explorer/calibration.html"])
async def test_no_page_of_it_may_be_framed(client: AsyncClient, path: str) -> None:
    assert "frame-ancestors 'none'" in (await client.get(path)).headers["Content-Security-Policy"]


async def test_every_file_that_the_page_names_is_there(client: AsyncClient) -> None:
    page = (await client.get("/")).text
    files = re.findall(r"""(?:src|href)=["']([^"'#]+)["']""", page)
    assert "/explorer/explorer.js" in files
    for file in files:
        assert (await client.get(file)).status_code == 200


async def test_the_root_is_no_operation_of_the_api(client: AsyncClient) -> None:
    assert "/" not in (await client.get("/openapi.json")).json()["paths"]
