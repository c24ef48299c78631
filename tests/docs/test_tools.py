"""The pages say how many tokens the tools of each mode take."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clause.mcp_bridge.server import offered
from clause.mcp_bridge.tool import MODES, Mode
from clause.text.tokens import count_tokens

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("mode", MODES)
def test_the_tokens_of_a_modes_definitions_are_those_that_are_told(mode: Mode) -> None:
    tools = offered(mode)
    listed = [tool.definition().model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    tokens = f"{count_tokens(json.dumps({'tools': listed})):,}"
    assert f"| clause, `{mode}`" in (friendly := (DOCS / "friendliness.md").read_text(encoding="utf-8"))
    assert f"| {len(tools)} | {tokens} |" in friendly
    assert tokens in (DOCS / "mcp.md").read_text(encoding="utf-8")
