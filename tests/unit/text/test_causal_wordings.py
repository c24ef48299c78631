"""Relationship types whose own words mean a cause: which kind, and from which end."""

from __future__ import annotations

import pytest

from clause.text.names import readable_relation
from clause.text.statements.words import causal_meaning

KNOWN = {
    "CAUSES": ("causes", False), "leads_to": ("causes", False), "resultsIn": ("causes", False),
    "gives rise to": ("causes", False), "has_effect": ("causes", False), "contributes-to": ("causes", False),
    "caused_by": ("causes", True), "is_caused_by": ("causes", True), "was_directly_caused_by": ("causes", True),
    "due_to": ("causes", True), "isDueTo": ("causes", True), "http://e.org/p/has_cause": ("causes", True),
    "result_of": ("causes", True), "triggered_by": ("causes", True), "stems_from": ("causes", True),
    "ENABLES": ("enables", False), "made_possible_by": ("enables", True), "facilitates": ("enables", False),
    "INHIBITS": ("inhibits", False), "prevents": ("inhibits", False), "is_prevented_by": ("inhibits", True),
    "suppressed_by": ("inhibits", True),
}  # fmt: skip
NONE = (
    "directed_by", "produced_by", "written_by", "has_genre", "near", "part_of", "because", "cause_number", "by",
    "leads", "led_by", "located_in", "treats", "triggers_count", "has_effective_date",
)  # fmt: skip


@pytest.mark.parametrize("relation", KNOWN)
def test_words_that_mean_a_cause_say_its_kind_and_its_end(relation: str) -> None:
    assert causal_meaning(readable_relation(relation)) == KNOWN[relation]


@pytest.mark.parametrize("relation", NONE)
def test_other_words_mean_none(relation: str) -> None:
    assert causal_meaning(readable_relation(relation)) is None
