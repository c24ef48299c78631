import re

import pytest
from fastapi import FastAPI
from httpx import AsyncClient

from clause.api import app as docs_page
from clause.errors import SetupError


async def test_the_page_names_no_other_host(client: AsyncClient) -> None:
    page = await client.get("/docs")
    assert page.status_code == 200
    assert re.findall(r"""(?:https?:)?//[\w.-]+\.\w+""", page.text) == []
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]


async def test_every_file_that_the_page_names_is_served_by_us(client: AsyncClient) -> None:
    page = (await client.get("/docs")).text
    files = re.findall(r"""(?:src|href)=["']([^"']+)["']""", page)
    assert len(files) == 3
    for file in [*files, "/openapi.json"]:
        assert (await client.get(file)).status_code == 200


def test_missing_files_of_the_page_are_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs_page, "find_spec", lambda _name: None)
    with pytest.raises(SetupError, match="fastapi-offline"):
        docs_page.install_docs(FastAPI())
