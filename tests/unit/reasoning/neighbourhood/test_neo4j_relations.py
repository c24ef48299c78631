"""Statements that repeat a part for each relationship type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.errors import ClauseError
from clause.graph.catalogue import Catalogue
from clause.reasoning.neighbourhood.neo4j import name_relations, quoted

HUB = Catalogue.load()["reasoning/expand_hub"]


def test_each_relationship_type_gets_its_own_part() -> None:
    named = name_relations(HUB, ["directed_by", "starred"])
    assert named.text.count("`directed_by`") == named.text.count("`starred`") == 2
    assert "RELATION" not in named.text
    assert named.text.count("UNION ALL") == 3
    assert (named.name, named.parameters, named.columns) == (HUB.name, HUB.parameters, HUB.columns)


@given(st.text(max_size=20))
def test_a_quoted_name_cannot_be_left_early(name: str) -> None:
    inside = quoted(name)[1:-1]
    assert "`" not in inside.replace("``", "")
    assert inside.replace("\\u005c", "") == name.replace("`", "``").replace("\\", "")


def test_a_statement_without_the_marked_part_is_refused() -> None:
    with pytest.raises(ClauseError, match="marked"):
        name_relations(Catalogue.load()["reasoning/expand"], ["a"])
    with pytest.raises(ClauseError, match="at least one"):
        name_relations(HUB, [])


@pytest.mark.parametrize("hops", range(1, 7))
def test_each_length_of_a_path_has_its_own_statement(hops: int) -> None:
    assert f"){{1,{hops}}} (b)" in Catalogue.load()[f"reasoning/paths[{hops}]"].text
