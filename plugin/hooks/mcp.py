#!/usr/bin/env python3
"""The MCP server, with the scope of the person at this machine as its default, as hooks have it, unless one is set."""

from __future__ import annotations

import os
import sys

import service


def main() -> None:
    """Become `clause mcp`."""
    os.environ["CLAUSE_DEFAULT_SCOPE"] = os.environ.get("CLAUSE_DEFAULT_SCOPE") or service.user()  # never public
    try:
        os.execvp("clause", ["clause", "mcp"])  # noqa: S606, S607 - the one on the PATH is meant
    except OSError as error:
        sys.exit(f"clause cannot be started: {error.strerror}; is it on the PATH?")


if __name__ == "__main__":
    main()
