"""/docs without internet: Swagger UI's files are served by us, and the page may load nothing from anywhere else."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.staticfiles import StaticFiles

from clause.errors import SetupError

ASSETS = "/docs/assets"
_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def install(app: FastAPI) -> None:
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
        answer.headers["Content-Security-Policy"] = _POLICY
        return answer


def _assets() -> Path:
    package = find_spec("fastapi_offline")
    if package is None or package.origin is None:
        raise SetupError("the files of the docs page are missing", remedy="install the package fastapi-offline")
    return Path(package.origin).parent / "static"
