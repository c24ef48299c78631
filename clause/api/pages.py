"""The pages that we serve: the explorer at / and Swagger UI at /docs; neither loads anything from anywhere else."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from clause.errors import SetupError

ASSETS = "/docs/assets"
_DOCS_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def install_docs(app: FastAPI) -> None:
    """Serve the page at /docs and its files below it."""
    app.mount(ASSETS, StaticFiles(directory=_assets()), name="docs-assets")

    @app.get("/docs", include_in_schema=False)
    async def page() -> Response:
        answer = get_swagger_ui_html(
            openapi_url=app.openapi_url or "/openapi.json",
            title=app.title,
            swagger_js_url=f"{ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{ASSETS}/favicon.png",
            swagger_ui_parameters={"validatorUrl": None},
        )
        answer.headers["Content-Security-Policy"] = _DOCS_POLICY
        return answer


def _assets() -> Path:
    package = find_spec("fastapi_offline")
    if package is None or package.origin is None:
        raise SetupError("the files of the docs page are missing", remedy="install the package fastapi-offline")
    return Path(package.origin).parent / "static"


FILES = "/explorer"
_FOLDER = Path(__file__).parent / "explorer"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'"
)


def install_explorer(app: FastAPI) -> None:
    """Serve the page at / and its files below /explorer."""
    app.mount(FILES, StaticFiles(directory=_FOLDER), name="explorer-files")

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        headers = {
            "Content-Security-Policy": _POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        }
        return FileResponse(_FOLDER / "index.html", media_type="text/html; charset=utf-8", headers=headers)
