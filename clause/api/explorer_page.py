"""The explorer at /: a page of plain files of our own, that loads nothing from anywhere else."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

FILES = "/explorer"
_FOLDER = Path(__file__).parent / "explorer"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'"
)


def install(app: FastAPI) -> None:
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
