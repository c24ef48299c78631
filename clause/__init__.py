"""Memory and reasoning for agents, on a graph.

`from clause import Clause` is the library: `async with Clause.open() as c: await c.coordinate("...")`; `ClauseClient`
does the same over HTTP. The public names are those of `__all__`; each is imported when it is first asked for, so that
`import clause` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clause.client import ClauseClient, SyncClauseClient
    from clause.errors import ClauseError
    from clause.graph.scopes import Caller
    from clause.library import Clause, SyncClause
    from clause.settings import Settings

__version__ = "0.1.0"
__all__ = [
    "Caller",
    "Clause",
    "ClauseClient",
    "ClauseError",
    "Settings",
    "SyncClause",
    "SyncClauseClient",
    "__version__",
]

_HOMES = {
    "Caller": "clause.graph.scopes",
    "Clause": "clause.library",
    "ClauseError": "clause.errors",
    "Settings": "clause.settings",
    "ClauseClient": "clause.client",
    "SyncClause": "clause.library",
    "SyncClauseClient": "clause.client",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
